"""Downloads: the tar of a view, of which any part can be read and nothing is ever written."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from contextlib import ExitStack

from ..storage.layout import volume_files
from ..storage.volume import VolumeReader
from .plan import Plan

BLOCK = 256 * 1024  # what a reader gets at once, at least
MEMORY = 64 * 1024 * 1024  # of frames that are kept by all open volumes


class Download:
    """Reads any part of a planned tar; keeps few volumes open, and a frame of each in memory."""

    def __init__(self, plan: Plan, frame_bytes: int):
        self._plan = plan
        self._most = max(2, MEMORY // frame_bytes)
        self._files = volume_files(plan.sources)
        self._open: OrderedDict[int, VolumeReader] = OrderedDict()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        with ExitStack() as stack:
            for reader in self._open.values():
                stack.push(reader)

    def read(self, offset: int, length: int) -> Iterator[bytes]:
        """Yield a range in blocks, without what lies behind the end; raises EngineError."""
        length = max(0, min(length, self._plan.size - offset))
        return in_blocks(self._pieces(offset, length))

    def _pieces(self, offset, length):
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
    """Join small pieces, so that thousands of small files are not as many writes."""
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
