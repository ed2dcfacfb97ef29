"""The database servers of clients, and their own tools that dump and load."""

import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn

from ....exceptions import EngineError, WrongState
from ....models import Client
from ...values import Tick, no_tick
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
NOT_FOUND = 127  # the exit code of a shell for a missing program
RUN_TOOL = 'exec "$tool" "$@"'


class DatabaseServer:
    """A client's server of one kind.

    With the operator's credentials the tools run on this machine and connect to the client.
    Without them they run on the client itself, as its administrator. If the client is this machine,
    that is the service's user, who could read every account's databases: so credentials are needed.
    """

    kind: str
    title: str
    credentials: str  # name of the file in the client's folder
    run_tool = RUN_TOOL  # on the client itself, where there are no credentials
    dump_tools: str
    load_tools: str
    # Error output of tools, in order: (pattern, error, sentence with {server}, {name}, {login}).
    refusals: Sequence[tuple[str, type[EngineError | WrongState], str]]

    def __init__(self, client: Client, machine: Machine | None = None):
        """Raises EngineError if the credentials cannot be used, or the client is not supported."""
        self.client = client
        self.file: Path | None = credentials_file(client, self.credentials)
        self.machine = LocalMachine() if self.file else machine or machine_for(client)

    def __str__(self) -> str:
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
        """Return a sentence on which credentials the operator must add; "" if none."""
        if self.file or not self.machine.local:
            return ""
        path = credentials_folder(self.client) / self.credentials
        return (
            f"Client '{self.client}' is the backup server itself: its {self.title} databases need"
            f" credentials, which the operator must put into '{path}'."
        )

    def dump_words(self, name: str) -> list[str]:
        """Return the arguments of the tool that dumps a database."""
        raise NotImplementedError

    def load_words(self, name: str) -> list[str]:
        """Return the arguments of the tool that executes SQL from standard input."""
        raise NotImplementedError

    def probe_words(self, name: str) -> list[str]:
        """Return the arguments of a tool that fails unless the database exists."""
        raise NotImplementedError

    def statements(self, dump: Iterator[bytes]) -> Iterator[bytes]:
        """Return the SQL to load for a dump."""
        return dump

    def variables(self) -> list[str]:
        """Return environment variables for the tools, as arguments of ``env``; nothing secret."""
        return []

    def is_complete(self, end: bytes) -> bool:
        """Return whether a dump with this end is complete."""
        raise NotImplementedError

    def refuse(self, name: str, tools: str, code: int, words: str) -> NoReturn:
        """Raise the error that a failed tool's message means, with that message."""
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
        """Return the login that the tools use, for a message."""
        return f"the credentials '{self.file}'" if self.file else "its own administrator"

    def remote_host(self, pattern: str) -> str | None:
        """Return the client's address, unless the credentials say where the server is."""
        if self.client.connection == "local" or re.search(pattern, self._text(), re.MULTILINE):
            return None
        return address(self.client)

    def _require_credentials(self) -> None:
        if refusal := self.missing_credentials:
            raise EngineError(refusal)

    def _text(self) -> str:
        return self.file.read_text(errors="replace") if self.file else ""

    def _start(
        self, tools: str, words: Sequence[str], *, stdin: int = subprocess.DEVNULL, tick: Tick
    ) -> Process:
        run = RUN_TOOL if self.file else self.run_tool
        if stdin is not subprocess.DEVNULL:
            # The output of a load is not read, and a full pipe would block it.
            run = f"exec >/dev/null; {run}"
        script = PICK_TOOL.format(tools=tools, run=run)
        command = ["env", *self.variables(), "sh", "-c", script, "sh", *words]
        return self.machine.start(command, stdin=stdin, tick=tick)


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
