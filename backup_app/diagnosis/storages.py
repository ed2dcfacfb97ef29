"""Each storage: its mark, and the space that is left."""

import os
from collections.abc import Iterator
from pathlib import Path

from ..engines import get_engine
from ..engines.base import Engine
from ..exceptions import InvalidEngine
from ..lib.formatting import size
from ..models import Storage
from ..services import storages
from .finding import Finding, failed, ok, skipped

LEAST_FREE = 0.05  # of the capacity, below which a storage counts as nearly full
MOUNT = "Mount its disk, or see 'manage.py label_storage --help' if the disk was replaced."
SPACE = "Run 'manage.py prune', keep backups for less long in its pools, or add a storage."


def examine() -> Iterator[Finding]:
    """Yield a line for each storage, with two queries for all of them."""
    found = list(Storage.objects.select_related("zone"))
    used = storages.used_bytes(found)
    for storage in found:
        yield _of_a_storage(storage, used.get(storage.pk, 0))
    if not found:
        yield skipped("There is none yet: create a zone and a storage in the admin.")


def _of_a_storage(storage: Storage, used: int) -> Finding:
    try:
        engine = get_engine(storage.zone.engine)
    except InvalidEngine as e:
        return failed(str(e), "Correct BACKUP_ENGINES.", storage.name)
    if fault := _fault(engine, storage):
        return failed(fault, MOUNT, storage.name)
    space = storages.space(storage, used)
    capacity, free = space["capacity"], space["free"]
    if capacity is None or free is None:
        return ok(f"{size(used)} of backups; its space is not known here.", storage.name)
    told = f"{size(free)} of {size(capacity)} free, {size(used)} of backups."
    if free < capacity * LEAST_FREE:
        return failed(f"Nearly full: {told}", SPACE, storage.name)
    return ok(told, storage.name)


def _fault(engine: Engine, storage: Storage) -> str:
    is_folder = storage.kind == Storage.Kind.FOLDER
    # To ask the engine about one without a label would label it.
    fault = "" if is_folder and storage.label is None else engine.storage_fault(storage)
    if fault or not is_folder:
        return fault
    if not Path(storage.path).is_dir():
        return f"The folder '{storage.path}' does not exist."
    if not os.access(storage.path, os.W_OK | os.X_OK):
        return f"The folder '{storage.path}' cannot be written to by this user."
    return ""
