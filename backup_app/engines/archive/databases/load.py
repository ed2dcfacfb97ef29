"""Loading dumps from backups into databases."""

import hashlib
import io
import tarfile
from collections.abc import Iterator
from typing import IO, cast

from ....conf import conf
from ....exceptions import EngineError, EngineUnreachable, WrongState
from ....models import Client, Entry
from ...shared.job_parts import parent_of
from ...values import Outcome, Run, Selection, Tick
from ..catalog import extents
from ..catalog.view import View
from ..integrity import comparison
from ..storage.layout import volume_files
from ..storage.volume import VolumeReader
from ..transport.process import Process, time_limit
from .registry import server_of
from .safety_dump import safety_dump
from .server import DatabaseServer

BLOCK = 1024 * 1024
MAX_BYTES = 100_000  # of the output of a query that returns a single row


class Content:
    """The content of a regular file of a backup; ``size`` is its length in bytes."""

    def __init__(self, entry: Entry):
        self.entry = entry
        self.size = entry.size

    def blocks(self) -> Iterator[bytes]:
        """Yield the content; raises EngineError where the volume is damaged."""
        path = volume_files([self.entry.job_id])[self.entry.job_id]
        with VolumeReader(path) as volume:
            raw = _Raw(volume.read(self.entry.offset, self.entry.length))
            try:
                # tarfile skips the headers, whose number is not in the catalog.
                with tarfile.open(fileobj=cast(IO[bytes], raw), mode="r|") as tar:
                    member = tar.next()
                    file = tar.extractfile(member) if member else None
                    while file and (block := file.read(BLOCK)):
                        yield block
            except tarfile.TarError as e:
                raise EngineError(f"The volume '{path}' is damaged: {e}.") from e

    def check(self, tick: Tick) -> None:
        """Read it once; raises EngineError unless it is what was backed up."""
        digest = hashlib.sha256()
        for block in self.blocks():
            digest.update(block)
            tick()
        if digest.digest() != self.entry.sha256:
            raise EngineError(
                f"'{self.entry}' of backup {self.entry.job_id} is damaged: its content is not "
                "what was backed up."
            )


class _Raw:
    """The part of a file's interface that tarfile needs to read a stream."""

    def __init__(self, pieces: Iterator[bytes]):
        self._pieces = pieces
        self._rest = b""

    def read(self, size: int) -> bytes:
        read = io.BytesIO()
        while read.tell() < size and (self._rest or self._next()):
            piece, self._rest = _cut(self._rest, size - read.tell())
            read.write(piece)
        return read.getvalue()

    def _next(self) -> bool:
        self._rest = next(self._pieces, b"")
        return bool(self._rest)


def _cut(data: bytes, size: int) -> tuple[bytes, bytes]:
    return data[:size], data[size:]


def require_database(client: Client, kind: str, name: str) -> None:
    """Raise WrongState unless the client's server of this kind has the database.

    Also if credentials for it are missing. Raises EngineError and EngineUnreachable if the
    server's tool fails for another reason.
    """
    server, seconds = server_of(client, kind), conf.COMMAND_SECONDS
    if server.missing_credentials:
        raise WrongState(server.missing_credentials)
    slow = EngineUnreachable(f"No answer from {server} within {seconds} seconds.")
    with server.start_probe(name, time_limit(seconds, slow)) as process:
        process.read_all(MAX_BYTES)
        if code := process.close():
            server.refuse(name, server.load_tools, code, process.complaint())


def load_database(run: Run, dump: Selection) -> Outcome:
    """Load a dump into the client's database that ``run.job.request["database"]`` names.

    No statement is executed before the whole dump was checked and the current database saved.
    Raises EngineError with the tool's message.
    """
    wanted = run.job.request["database"]
    name, kind = wanted["database"], wanted["kind"]
    [(entry_id, path)] = dump.files
    view = View(parent_of(run.job))
    comparison.require_same(view, [path], extents.named(view, [entry_id]), run.tick)
    content = Content(Entry.objects.get(pk=entry_id))
    server = server_of(run.job.client, kind)
    run.expect(content.size)
    content.check(run.tick)
    require_database(run.job.client, kind, name)
    with safety_dump(run, server, name):
        _load(run, server, name, content)
    run.info(f"Loaded the database '{name}' of {server}: {content.size} bytes.")
    return Outcome(files=1, bytes=content.size)


def _load(run: Run, server: DatabaseServer, name: str, content: Content) -> None:
    with server.start_load(name, run.tick) as process:
        whole = _feed(run, process, server, content)
        if code := process.close():
            server.refuse(name, server.load_tools, code, process.complaint())
        if not whole:
            raise EngineError(
                f"The tool of {server} stopped before the end of the dump of database '{name}'. "
                f"{process.complaint()}".rstrip()
            )


def _feed(run: Run, process: Process, server: DatabaseServer, content: Content) -> bool:
    """Write a dump to a process; return False if it stops reading, to show its message."""
    done = 0
    for block in server.statements(content.blocks()):
        try:
            process.write(block)
        except EngineError:
            return False
        done += len(block)
        run.tick(size=min(done, content.size))
    process.end_input()
    run.tick(size=content.size)
    return True
