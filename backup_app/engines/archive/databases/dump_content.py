"""Reading the content of a single file of a backup, without a copy on disk."""

import hashlib
import io
import tarfile
from collections.abc import Iterator
from typing import IO, cast

from ....exceptions import EngineError
from ....models import Entry
from ...base import Tick
from ..storage.layout import volume_files
from ..storage.volume import VolumeReader

BLOCK = 1024 * 1024


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
