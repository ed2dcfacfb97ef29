"""Reading any part of a planned tar from the volumes; the tar itself is never stored."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from typing import Self

from ..storage.layout import volume_files
from ..storage.volume import VolumeReader
from .plan import Plan

BLOCK = 256 * 1024  # bytes that are yielded at once, at least
MEMORY = 64 * 1024 * 1024  # bytes of the frames in memory, one for each open volume


class Download:
    """Reads any part of a planned tar; keeps a few volumes open, with a frame of each in memory."""

    def __init__(self, plan: Plan, frame_bytes: int):
        self._plan = plan
        self._most = max(2, MEMORY // frame_bytes)
        self._files = volume_files(plan.sources)
        self._open: OrderedDict[int, VolumeReader] = OrderedDict()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        with ExitStack() as stack:
            for reader in self._open.values():
                stack.push(reader)

    def read(self, offset: int, length: int) -> Iterator[bytes]:
        """Yield a range in blocks, up to the end of the tar; see ``Ranges.read``."""
        length = max(0, min(length, self._plan.size - offset))
        return in_blocks(self._pieces(offset, length))

    def _pieces(self, offset: int, length: int) -> Iterator[bytes]:
        end = offset + length
        for source, start, size in self._plan.parts(offset, length):
            yield from self._volume(source).read(start, size)
            offset += size
        while offset < end:
            size = min(BLOCK, end - offset)
            yield bytes(size)
            offset += size

    def _volume(self, source: int) -> VolumeReader:
        if source not in self._open:
            if len(self._open) >= self._most:
                _, oldest = self._open.popitem(last=False)
                oldest.__exit__(None, None, None)
            self._open[source] = VolumeReader(self._files[source])
        self._open.move_to_end(source)
        return self._open[source]


def in_blocks(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Join small pieces: thousands of small files would be as many writes to the client."""
    waiting: list[bytes] = []
    size = 0
    for piece in pieces:
        waiting.append(piece)
        size += len(piece)
        if size >= BLOCK:
            yield b"".join(waiting)
            waiting, size = [], 0
    if waiting:
        yield b"".join(waiting)
