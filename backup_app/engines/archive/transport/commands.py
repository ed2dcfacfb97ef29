"""Running one of the operator's commands on a client."""

from collections.abc import Sequence

from ....conf import conf
from ....exceptions import EngineError
from ....models import Client
from ...shared.command_output import command_output
from .machines import machine_for
from .process import Process, time_limit


def run_command(client: Client, command: Sequence[str]) -> str:
    """Run a command on a client, without a shell; see ``Engine.run_command``."""
    line = " ".join(command)
    seconds = conf.COMMAND_SECONDS
    slow = EngineError(f"'{line}' took longer than {seconds} seconds on client '{client}'.")
    with machine_for(client).start(command, tick=time_limit(seconds, slow)) as process:
        printed = _read(process, conf.COMMAND_MAX_BYTES + 1)
        # A command that prints without end never exits: output beyond the limit is not waited for.
        if len(printed) <= conf.COMMAND_MAX_BYTES and (code := process.close()):
            raise EngineError(
                f"'{line}' failed on client '{client}' ({code}). {process.complaint()}".rstrip()
            )
    return command_output(printed)


def _read(process: Process, limit: int) -> bytes:
    printed = b""
    while len(printed) < limit and (block := process.read(limit - len(printed))):
        printed += block
    return printed
