"""PostgreSQL."""

import re
import secrets
from collections.abc import Iterator

from ....exceptions import EngineError, EngineUnreachable, WrongState
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
    # The server of a usual installation lets in the user 'postgres' of its own machine.
    run_tool = f'[ "$(id -u)" != 0 ] || exec runuser -u postgres -- "$tool" "$@"; {RUN_TOOL}'
    refusals = (
        (r"invalid command \\+restrict", EngineError, "psql is too old to load dumps safely."),
        (r'database "[^"]*" does not exist', WrongState, "{server} has no database '{name}'."),
        (
            r"authentication failed|no password supplied|no pg_hba.conf entry|role .* not exist",
            EngineError,
            "{server} does not let {login} in.",
        ),
        (
            r"connection refused|timeout expired|could not translate|no route to host|unreachable",
            EngineUnreachable,
            "{server} cannot be reached.",
        ),
    )

    def __init__(self, client, machine=None):
        super().__init__(client, machine)
        self.passwords = credentials_file(client, "pgpass")
        if self.passwords and not self.file:
            raise EngineError(
                f"'{self.passwords}' is there without a 'pg_service.conf' whose [{SERVICE}] says "
                "how to log in."
            )

    def dump_words(self, name):
        # What is there already is replaced by a load, as it is with MySQL.
        return ["--format=plain", "--clean", "--if-exists", "--no-password", self._to(name)]

    def load_words(self, name):
        options = "--no-psqlrc --quiet --no-password --set=ON_ERROR_STOP=1"
        return [*options.split(), self._to(name)]

    def probe_words(self, name):
        return ["--no-psqlrc", "--no-password", "--command=SELECT 1", self._to(name)]

    def statements(self, dump):
        # All or nothing. An end of the input is not enough: a lost connection looks the same.
        yield b"BEGIN;\n"
        yield from restricted(dump) if self.file else dump
        yield b"\nCOMMIT;\n"

    def variables(self):
        files = {"PGSERVICEFILE": self.file, "PGPASSFILE": self.passwords}
        return [f"{name}={path}" for name, path in files.items() if path]

    def is_complete(self, end):
        _, found, rest = end.rpartition(b"\n" + COMPLETE)
        # Newer versions end their restriction of psql after that line.
        return bool(found) and all(
            line in {b"", b"--"} or line.startswith(b"\\unrestrict ") for line in rest.split(b"\n")
        )

    def _to(self, name):
        """Say where to connect to; a bare name could be taken for a whole connection string."""
        values = {"dbname": name, "connect_timeout": "10"}
        if self.file:
            values |= {"service": SERVICE}
            if host := self.remote_host(HOST):
                values |= {"host": host}
        words = (f"{key}='{_escape(value)}'" for key, value in values.items())
        return f"--dbname={' '.join(words)}"


def _escape(value):
    return value.replace("\\", "\\\\").replace("'", "\\'")


def restricted(dump: Iterator[bytes]) -> Iterator[bytes]:
    """Yield a dump in which psql obeys no commands of its own, such as those that start programs.

    Whoever made the dump says what is in it, and psql runs on the backup server. pg_dump has such
    a restriction too, but whether it made the dump, and which version, is not known.
    """
    key = secrets.token_hex(16).encode()
    yield b"\\restrict %b\n" % key
    yield from _without_restriction(dump)
    yield b"\n\\unrestrict %b\n" % key


def _without_restriction(dump):
    """Leave out the dump's own, as one in another is an error."""
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
