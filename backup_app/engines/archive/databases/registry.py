"""The supported kinds of database servers."""

from ....exceptions import NotFound
from ....models import Client
from ..transport.machines import Machine
from .mysql import Mysql
from .postgresql import Postgresql
from .server import DatabaseServer

SERVERS = {server.kind: server for server in (Mysql, Postgresql)}


def server_of(client: Client, kind: str, machine: Machine | None = None) -> DatabaseServer:
    """Return a client's server of a kind; ``machine`` is the client's, if the caller has it.

    Raises NotFound for an unknown kind, and EngineError if its credentials cannot be used.
    """
    if kind not in SERVERS:
        known = ", ".join(SERVERS)
        raise NotFound(f"There are no databases of kind '{kind}'; there are: {known}.")
    return SERVERS[kind](client, machine)
