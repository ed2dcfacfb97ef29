"""The database servers of clients, and their own tools that dump and load."""

import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from ....exceptions import EngineError, WrongState
from ...base import Tick, no_tick
from ..transport.machines import LocalMachine, Machine, machine_for
from ..transport.process import Process
from ..transport.ssh import address
from .credentials import credentials_file, credentials_folder

# The words of a tool are its arguments, never part of the script.
PICK_TOOL = """\
for tool in {tools}; do
    command -v "$tool" >/dev/null && {{ {run}; }}
done
exit 127
"""
NOT_FOUND = 127
RUN_TOOL = 'exec "$tool" "$@"'


class DatabaseServer:
    """A client's server of one kind.

    With the operator's credentials the tools run on this machine and connect to the client;
    without them they run on the client itself, as whoever its administrator lets in there. On this
    machine that would be the service's user, for all databases of it: there they must be.
    """

    kind: str
    title: str
    credentials: str  # name of the file in the client's folder
    run_tool = RUN_TOOL  # on the client itself, where there are no credentials
    dump_tools: str
    load_tools: str
    # What tools say, in order: (pattern, error, sentence with {server}, {name} and {login}).
    refusals: Sequence[tuple[str, type[EngineError | WrongState], str]]

    def __init__(self, client, machine: Machine | None = None):
        """Raises EngineError where the credentials cannot be used or the client not be reached."""
        self.client = client
        self.file: Path | None = credentials_file(client, self.credentials)
        self.machine = LocalMachine() if self.file else machine or machine_for(client)

    def __str__(self):
        return f"the {self.title} server of client '{self.client}'"

    def start_dump(self, name: str, tick: Tick = no_tick) -> Process:
        """Start writing a dump of a database to the standard output."""
        self._require_credentials()
        return self._start(self.dump_tools, self.dump_words(name), tick=tick)

    def start_load(self, name: str, tick: Tick = no_tick) -> Process:
        """Start executing the SQL that is written to the standard input; it prints nothing."""
        self._require_credentials()
        return self._start(self.load_tools, self.load_words(name), stdin=subprocess.PIPE, tick=tick)

    def start_probe(self, name: str, tick: Tick = no_tick) -> Process:
        """Start a tool that succeeds only if the database is there."""
        return self._start(self.load_tools, self.probe_words(name), tick=tick)

    @property
    def missing_credentials(self) -> str:
        """Say which credentials the operator has to give first; "" if none."""
        if self.file or not self.machine.local:
            return ""
        path = credentials_folder(self.client) / self.credentials
        return (
            f"Client '{self.client}' is the backup server itself: its {self.title} databases need"
            f" a login of their own, which its operator puts into '{path}'."
        )

    def dump_words(self, name: str) -> list[str]:
        raise NotImplementedError

    def load_words(self, name: str) -> list[str]:
        raise NotImplementedError

    def probe_words(self, name: str) -> list[str]:
        raise NotImplementedError

    def statements(self, dump: Iterator[bytes]) -> Iterator[bytes]:
        """Return what loading is to read for a dump."""
        return dump

    def variables(self) -> list[str]:
        """Return variables that a tool needs, as ``env`` takes them; nothing secret."""
        return []

    def is_complete(self, end: bytes) -> bool:
        """Say whether a dump that ends like this was written to its end."""
        raise NotImplementedError

    def refuse(self, name: str, tools: str, code: int, words: str) -> None:
        """Raise what the words of a tool that failed mean, with the words themselves."""
        if code == NOT_FOUND:
            wanted = " or ".join(f"'{tool}'" for tool in tools.split())
            place = "the backup server" if self.file else f"client '{self.client}'"
            raise EngineError(f"There is no {wanted} on {place}: install its package.")
        for pattern, error, sentence in self.refusals:
            if re.search(pattern, words, re.IGNORECASE):
                said = sentence.format(server=_capital(str(self)), name=name, login=self.login())
                raise error(f"{said} {words}".rstrip())
        raise EngineError(
            f"{_capital(str(self))} failed for database '{name}' ({code}). {words}".rstrip()
        )

    def login(self) -> str:
        """Name by what a tool logs in."""
        return f"the credentials '{self.file}'" if self.file else "its own administrator"

    def remote_host(self, pattern: str) -> str | None:
        """Return the client's address, unless the credentials say where the server is."""
        if self.client.connection == "local" or re.search(pattern, self._text(), re.MULTILINE):
            return None
        return address(self.client)

    def _require_credentials(self):
        if refusal := self.missing_credentials:
            raise EngineError(refusal)

    def _text(self):
        return self.file.read_text(errors="replace")

    def _start(self, tools, words, *, stdin=subprocess.DEVNULL, tick):
        run = RUN_TOOL if self.file else self.run_tool
        if stdin is not subprocess.DEVNULL:
            # Nobody reads what loading prints, and a full pipe would stop it.
            run = f"exec >/dev/null; {run}"
        script = PICK_TOOL.format(tools=tools, run=run)
        command = ["env", *self.variables(), "sh", "-c", script, "sh", *words]
        return self.machine.start(command, stdin=stdin, tick=tick)


def _capital(text):
    return text[0].upper() + text[1:]
