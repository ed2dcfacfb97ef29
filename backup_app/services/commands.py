"""Command lines that the operator allowed to be run on clients."""

from ..conf import conf
from ..engines import get_engine
from ..exceptions import Forbidden, WrongState


def run(client, line: str) -> str:
    """Return what an allowed command line prints on a client.

    Raises Forbidden, listing what is allowed, for any other; WrongState where the engine runs no
    commands.
    """
    words = line.split()
    if words not in conf.commands:
        allowed = ", ".join(f"'{' '.join(command)}'" for command in conf.commands) or "none"
        raise Forbidden(f"The command '{line}' is not allowed. Allowed: {allowed}.")
    engine = get_engine(client.zone.engine)
    if not engine.supports_commands:
        raise WrongState(f"The engine of zone '{client.zone.name}' runs no commands on clients.")
    return engine.run_command(client, words)
