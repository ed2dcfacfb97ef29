"""Command lines that the operator allows to be run on clients."""

from ...conf import conf
from ...engines import get_engine
from ...exceptions import Forbidden, WrongState
from ...models import Client


def run(client: Client, line: str) -> str:
    """Return the output of an allowed command line on a client.

    Raises Forbidden, listing the allowed ones, for any other, WrongState if the engine does not
    support commands, EngineError if the client or the command fails.
    """
    words = line.split()
    if words not in conf.commands:
        allowed = ", ".join(f"'{' '.join(command)}'" for command in conf.commands) or "none"
        raise Forbidden(f"The command '{line}' is not allowed. Allowed: {allowed}.")
    engine = get_engine(client.zone.engine)
    if not engine.supports_commands:
        raise WrongState(f"The engine of zone '{client.zone.name}' does not support commands.")
    return engine.run_command(client, words)
