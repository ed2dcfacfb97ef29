"""Volumes: a tar in independent zstd frames, with a table at the end that finds each by a seek.

The table is that of the *zstd seekable format*, in a frame that every other reader skips.
"""

import os
import struct
import threading
from array import array
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from itertools import accumulate
from pathlib import Path
from typing import BinaryIO, Self

import zstandard

from ....exceptions import EngineError
from ....lib.hashing import BackgroundHash
from ...shared.durable import sync
from ...values import Tick, no_tick
from .space import Limit

END_OF_TAR = bytes(1024)  # two blocks of zeros (POSIX, pax)
TABLE_HEADER = struct.Struct("<II")  # magic number of a frame to skip, length of what follows
TABLE_ENTRY = 8  # bytes: the two sizes of a frame, without the checksum that zstd itself appends
TABLE_FOOTER = struct.Struct("<IBI")  # number of frames, flags, magic number
SKIPPED_MAGIC, SEEKABLE_MAGIC = 0x184D2A5E, 0x8F92EAB1
AHEAD = 2  # frames of one read from which on a thread for the next one pays
SECOND = 1.0
MEMORY = 48 * 1024 * 1024  # bytes for all compressors of a job, to suit small machines


class VolumeWriter:
    """Compresses what is written to it in several threads, into a new file."""

    def __init__(
        self,
        path: Path,
        *,
        frame_bytes: int,
        level: int,
        threads: int = 0,
        limit: Limit | None = None,
        tick: Tick = no_tick,
    ):
        """``threads`` is 0 for one per processor. ``tick`` is called at least every second.

        Beyond ``limit`` any method raises EngineError.
        """
        self.path = path
        self.tar_size = 0  # of what was written, without the end blocks
        self.size = 0  # of the file so far
        self._limit = limit
        self._tick = tick
        self._file = path.open("xb")
        self._digest = BackgroundHash()
        self._frame_bytes = frame_bytes
        self._parts: list[memoryview] = []  # of the next frame
        self._filled = 0  # bytes in _parts
        self._table = array("I")  # compressed and uncompressed size of each frame
        self._level = level
        self._threads = thread_count(level, frame_bytes, threads)
        self._own = threading.local()
        self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix="zstd")
        self._frames: deque[tuple[int, Future[bytes]]] = deque()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        # A frame at level 19 takes seconds, and a cancellation should not wait for it.
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._digest.__exit__(*exc)
        self._file.close()

    def write(self, data: bytes | memoryview) -> None:
        """Append bytes of the tar, which must not change afterwards: they are not copied."""
        self.tar_size += len(data)
        self._add(memoryview(data))

    def finish(self) -> bytes:
        """Write the end of the tar and the table, sync the file, and return its SHA-256.

        ``size`` is then that of the whole file; ``tar_size`` remains without the end blocks.
        """
        self._add(memoryview(END_OF_TAR))
        if self._filled:
            self._compress()
        while self._frames:
            self._store()
        self._append(seek_table(self._table))
        sync(self._file)
        self._file.close()
        return self._digest.digest()

    def _add(self, data: memoryview) -> None:
        while data:
            part = data[: self._frame_bytes - self._filled]
            self._parts.append(part)
            self._filled += len(part)
            data = data[len(part) :]
            if self._filled == self._frame_bytes:
                self._compress()

    def _compress(self) -> None:
        size = self._filled
        self._frames.append((size, self._pool.submit(self._frame, self._parts)))
        while len(self._frames) > self._threads + 1:
            self._store()
        self._parts, self._filled = [], 0

    def _frame(self, parts: list[memoryview]) -> bytes:
        try:
            compressor = self._own.compressor
        except AttributeError:
            compressor = self._own.compressor = zstandard.ZstdCompressor(
                level=self._level, write_checksum=True
            )
        # At once: after each part, this thread would wait for the one that reads the tar.
        data = b"".join(parts)
        parts.clear()  # so that what was read is freed before it is compressed
        frame: bytes = compressor.compress(data)
        return frame

    def _store(self) -> None:
        size, future = self._frames.popleft()
        while not wait([future], SECOND).done:
            self._tick()
        frame = future.result()
        self._table.extend((len(frame), size))
        self._append(frame)

    def _append(self, data: bytes) -> None:
        self.size += len(data)
        if self._limit:
            self._limit.require(self.size)
        self._file.write(data)
        self._digest.update(data)


class VolumeReader:
    """Reads any part of a volume's tar, with one seek and the memory of two frames."""

    def __init__(self, path: Path):
        """Raises EngineError if the file cannot be read or is not a volume."""
        self.path = path
        try:
            self._file = path.open("rb")
        except OSError as e:
            raise EngineError(f"The volume '{path}' cannot be read: {e.strerror}.") from e
        try:
            sizes = read_table(self._file, path)
        except BaseException:
            self._file.close()
            raise
        self._starts = array("Q", accumulate(sizes[1::2], initial=0))
        self._places = array("Q", accumulate(sizes[0::2], initial=0))
        self._last: tuple[int, bytes] = (-1, b"")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._file.close()

    @property
    def size(self) -> int:
        """The length of the whole tar in bytes, with its end blocks."""
        size: int = self._starts[-1]
        return size

    def read(self, offset: int, length: int) -> Iterator[bytes]:
        """Yield the bytes of a part of the tar in blocks of at most a frame.

        Raises EngineError naming the volume and the place if it is damaged or too short.
        """
        if offset < 0 or length < 0 or offset + length > self.size:
            raise EngineError(
                f"The volume '{self.path}' has {self.size} bytes of tar, not {offset + length}."
            )
        first, stop = bisect_right(self._starts, offset) - 1, offset + length
        for number, frame in enumerate(self._frames(first, stop), first):
            start = self._starts[number]
            yield frame[max(0, offset - start) : stop - start]

    def frame_end(self, offset: int) -> int:
        """Return the end of the frame that contains a byte of the tar; at most the tar's end."""
        end: int = self._starts[min(bisect_right(self._starts, offset), len(self._starts) - 1)]
        return end

    def _frames(self, first: int, stop: int) -> Iterator[bytes]:
        """Yield frames up to a place in the tar; the next is decompressed meanwhile."""
        numbers = range(first, bisect_left(self._starts, stop))
        if len(numbers) < AHEAD:
            yield from map(self._frame, numbers)
            return
        with ThreadPoolExecutor(1, thread_name_prefix="zstd") as pool:
            ahead = pool.submit(self._frame, first)
            for number in numbers[1:]:
                frame = ahead.result()
                ahead = pool.submit(self._frame, number)
                yield frame
            yield ahead.result()

    def _frame(self, number: int) -> bytes:
        # Neighbouring members are often read one by one.
        if self._last[0] != number:
            self._last = (number, self._read_frame(number))
        return self._last[1]

    def _read_frame(self, number: int) -> bytes:
        size = self._starts[number + 1] - self._starts[number]
        place = self._places[number]
        try:
            data = os.pread(self._file.fileno(), self._places[number + 1] - place, place)
            block = zstandard.ZstdDecompressor().decompress(data, allow_extra_data=False)
        except (OSError, zstandard.ZstdError) as e:
            raise EngineError(f"The volume '{self.path}' is damaged at byte {place}: {e}.") from e
        if len(block) != size:
            raise EngineError(
                f"The volume '{self.path}' is damaged at byte {place}: the frame there has"
                f" {len(block)} bytes, not {size}."
            )
        return block


def seek_table(sizes: "array[int]") -> bytes:
    """Return the frame with the compressed and uncompressed sizes of all others."""
    entries = struct.pack(f"<{len(sizes)}I", *sizes)
    footer = TABLE_FOOTER.pack(len(sizes) // 2, 0, SEEKABLE_MAGIC)
    return TABLE_HEADER.pack(SKIPPED_MAGIC, len(entries) + len(footer)) + entries + footer


def read_table(file: BinaryIO, path: Path) -> tuple[int, ...]:
    """Return the compressed and uncompressed sizes in turn; raises EngineError."""
    try:
        end = file.seek(0, os.SEEK_END)
        file.seek(max(0, end - TABLE_FOOTER.size))
        count, _, magic = TABLE_FOOTER.unpack(file.read())
        if magic != SEEKABLE_MAGIC:
            raise EngineError(f"The volume '{path}' is damaged: it has no table of frames.")
        start = end - TABLE_FOOTER.size - count * TABLE_ENTRY
        file.seek(start - TABLE_HEADER.size)
        skipped, length = TABLE_HEADER.unpack(file.read(TABLE_HEADER.size))
        sizes = struct.unpack(f"<{2 * count}I", file.read(count * TABLE_ENTRY))
    except (OSError, ValueError, struct.error) as e:
        raise EngineError(f"The volume '{path}' is damaged: its table is cut off.") from e
    whole = skipped == SKIPPED_MAGIC and length == end - start
    if not whole or sum(sizes[0::2]) != start - TABLE_HEADER.size:
        raise EngineError(f"The volume '{path}' is damaged: its table of frames is wrong.")
    return sizes


def thread_count(level: int, frame_bytes: int, wanted: int) -> int:
    """Return how many threads may compress at once within MEMORY."""
    parameters = zstandard.ZstdCompressionParameters.from_level(level, source_size=frame_bytes)
    each = parameters.estimated_compression_context_size() + 3 * frame_bytes
    return max(1, min(wanted or os.cpu_count() or 1, MEMORY // each))
