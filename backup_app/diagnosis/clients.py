"""The connection to each client, some of them at once."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from django.db import connections

from ..engines import get_engine
from ..exceptions import BackupError, InvalidEngine
from ..models import Client
from .finding import Finding, failed, ok

AT_ONCE = 8  # each is a process that logs in
REMEDIES: dict[str, str] = {
    Client.Connection.SSH: "Check that it is up, that its host key is pinned ('manage.py"
    " pin_host_key') and that it has run its install script (getconfig in the API).",
    Client.Connection.LOCAL: "Install what it lacks on this machine.",
    Client.Connection.AGENT: "Check that its file daemon runs and lets the Director in.",
}


def examine() -> Iterator[Finding]:
    """Yield a line for each client, in the order of their names, with one query for all."""
    clients = list(Client.objects.present().select_related("zone", "account"))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield from pool.map(_of_a_client, clients)


def _of_a_client(client: Client) -> Finding:
    subject = f"{client.name} of {client.account}"
    try:
        get_engine(client.zone.engine).require_connection(client)
    except (BackupError, InvalidEngine) as e:
        return failed(str(e), REMEDIES[client.connection], subject)
    finally:
        connections.close_all()  # this thread's own, of engines that read a catalog
    return ok(f"It answers ({client.get_connection_display()}).", subject)
