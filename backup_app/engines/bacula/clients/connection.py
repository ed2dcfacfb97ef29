"""Whether the Director reaches a client."""

from ....models import Client
from .. import names
from ..names import Bacula


def require_connection(engine: Bacula, client: Client) -> None:
    """Raise EngineUnreachable unless the file daemon of a client answers the Director.

    And EngineError if the Director has no such client: it gets a new one with its first backup.
    """
    with engine.director() as director:
        director.client_header(names.of(engine, client))
