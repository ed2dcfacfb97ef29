"""What a worker requires: programs of this machine, and storages."""

import shutil
from collections.abc import Iterator

from ....models import Client, Storage
from ..storage.labels import storage_fault

PROGRAMS: dict[str, tuple[str, ...]] = {
    Client.Connection.LOCAL: ("cp", "env", "find", "pwd", "sh", "tar"),
    Client.Connection.SSH: ("ssh", "ssh-keygen"),
}


def faults(alias: str) -> Iterator[str]:
    """Yield a sentence for each thing that the clients and pools of an engine lack."""
    connections = Client.objects.present().filter(zone__engine=alias).order_by()
    for connection in connections.values_list("connection", flat=True).distinct():
        for program in PROGRAMS.get(connection, ()):
            if shutil.which(program) is None:
                yield f"There is no program '{program}'."
    storages = Storage.objects.filter(zone__engine=alias, pools__isnull=False)
    yield from filter(None, map(storage_fault, storages.distinct()))
