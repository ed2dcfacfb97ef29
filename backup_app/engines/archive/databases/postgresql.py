"""PostgreSQL."""

import re
import secrets
from collections.abc import Iterator

from ....exceptions import EngineError, EngineUnreachable, WrongState
from ....models import Client
from ..transport.machines import Machine
from .credentials import credentials_file
from .server import RUN_TOOL, DatabaseServer

HOST = r"^\s*(host|hostaddr)\s*="
SERVICE = "client"
END = 4096  # bytes of a dump that its last lines are in
RESTRICT = re.compile(rb"(?P<comments>(?:(?:--[^\n]*)?\n)*)\\restrict (?P<key>[A-Za-z0-9]+)\n")
COMPLETE = b"-- PostgreSQL database dump complete"


class Postgresql(DatabaseServer):
    """The credentials are ``[client]`` of a service file, and a password file where it has none."""

    kind = "postgresql"
    title = "PostgreSQL"
    credentials = "pg_service.conf"
    dump_tools = "pg_dump"
    load_tools = "psql"
    # By default a PostgreSQL server accepts the local system user 'postgres' (peer authentication).
    run_tool = f'[ "$(id -u)" != 0 ] || exec runuser -u postgres -- "$tool" "$@"; {RUN_TOOL}'
    refusals = (
        (r"invalid command \\+restrict", EngineError, "psql is too old to load dumps safely."),
        (r'database "[^"]*" does not exist', WrongState, "{server} has no database '{name}'."),
        (
            r"authentication failed|no password supplied|no pg_hba.conf entry|role .* not exist",
            EngineError,
            "{server} rejected {login}.",
        ),
        (
            r"connection refused|timeout expired|could not translate|no route to host|unreachable",
            EngineUnreachable,
            "{server} cannot be reached.",
        ),
    )

    def __init__(self, client: Client, machine: Machine | None = None):
        super().__init__(client, machine)
        self.passwords = credentials_file(client, "pgpass")
        if self.passwords and not self.file:
            raise EngineError(
                f"'{self.passwords}' needs a 'pg_service.conf' beside it, in which [{SERVICE}] says"
                " how to connect."
            )

    def dump_words(self, name: str) -> list[str]:
        # A load replaces existing tables, as with MySQL.
        return ["--format=plain", "--clean", "--if-exists", "--no-password", self._to(name)]

    def load_words(self, name: str) -> list[str]:
        options = "--no-psqlrc --quiet --no-password --set=ON_ERROR_STOP=1"
        return [*options.split(), self._to(name)]

    def probe_words(self, name: str) -> list[str]:
        return ["--no-psqlrc", "--no-password", "--command=SELECT 1", self._to(name)]

    def statements(self, dump: Iterator[bytes]) -> Iterator[bytes]:
        # All or nothing. A lost connection looks like the end of the input, and must not commit.
        yield b"BEGIN;\n"
        yield from restricted(dump) if self.file else dump
        yield b"\nCOMMIT;\n"

    def variables(self) -> list[str]:
        files = {"PGSERVICEFILE": self.file, "PGPASSFILE": self.passwords}
        return [f"{name}={path}" for name, path in files.items() if path]

    def is_complete(self, end: bytes) -> bool:
        _, found, rest = end.rpartition(b"\n" + COMPLETE)
        # Newer versions end their restriction of psql after that line.
        return bool(found) and all(
            line in {b"", b"--"} or line.startswith(b"\\unrestrict ") for line in rest.split(b"\n")
        )

    def _to(self, name: str) -> str:
        """Return the connection string; psql would parse a bare name with "=" as one."""
        values = {"dbname": name, "connect_timeout": "10"}
        if self.file:
            values |= {"service": SERVICE}
            if host := self.remote_host(HOST):
                values |= {"host": host}
        words = (f"{key}='{_escape(value)}'" for key, value in values.items())
        return f"--dbname={' '.join(words)}"


def _escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace("'", "\\'")


def restricted(dump: Iterator[bytes]) -> Iterator[bytes]:
    """Yield a dump in which psql ignores its own commands, such as those that start programs.

    The dump may be hostile, and psql runs on the backup server. New versions of pg_dump restrict
    psql too, but which version wrote the dump is unknown.
    """
    key = secrets.token_hex(16).encode()
    yield b"\\restrict %b\n" % key
    yield from _without_restriction(dump)
    yield b"\n\\unrestrict %b\n" % key


def _without_restriction(dump: Iterator[bytes]) -> Iterator[bytes]:
    """Remove the restriction that the dump has itself: nesting is an error."""
    first = next(dump, b"")
    found = RESTRICT.match(first)
    if not found:
        yield first
        yield from dump
        return
    held = found["comments"] + first[found.end() :]
    for block in dump:
        held += block
        yield held[:-END]
        held = held[-END:]
    yield re.sub(rb"\n\\unrestrict %b\s*\Z" % found["key"], b"\n", held)
