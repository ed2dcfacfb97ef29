"""The plan of a download: which part of the tar is read from which volume, and where."""

import struct
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

import zstandard

from ....exceptions import EngineError

BLOCK = 512
RECORD = 20 * BLOCK  # a tar is padded to whole records (POSIX, pax)
HEADER = struct.Struct("<BIQ")  # version, number of sources, number of segments
VERSION = 1


@dataclass
class Plan:
    """Consecutive segments of volumes, followed by the end of a tar."""

    sources: list[int] = field(default_factory=list)  # job IDs
    _starts: "array[int]" = field(
        default_factory=lambda: array("Q", [0])
    )  # and the end of the last one
    _offsets: "array[int]" = field(default_factory=lambda: array("Q"))  # in the volume's tar
    _places: "array[int]" = field(default_factory=lambda: array("I"))  # in ``sources``
    _known: dict[int, int] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """The length of the whole tar in bytes."""
        return -(-(self.content_size + 2 * BLOCK) // RECORD) * RECORD

    @property
    def content_size(self) -> int:
        """The length in bytes of the members, without the end."""
        size: int = self._starts[-1]
        return size

    def add(self, source: int, offset: int, length: int) -> None:
        """Append a part of a volume's tar; adjacent parts are joined."""
        if not length:
            return
        place = self._place(source)
        if self._places and self._places[-1] == place and self._volume_end() == offset:
            self._starts[-1] += length
        else:
            self._places.append(place)
            self._offsets.append(offset)
            self._starts.append(self._starts[-1] + length)

    def parts(self, offset: int, length: int) -> Iterator[tuple[int, int, int]]:
        """Yield (source, offset, length) for a range of the members."""
        end = min(offset + length, self.content_size)
        number = bisect_right(self._starts, offset) - 1
        while offset < end:
            behind = offset - self._starts[number]
            size = min(end, self._starts[number + 1]) - offset
            yield self.sources[self._places[number]], self._offsets[number] + behind, size
            offset, number = offset + size, number + 1

    def __len__(self) -> int:
        return len(self._places)

    def pack(self) -> bytes:
        """Return the plan as bytes, for ``unpack``."""
        parts = [array("Q", self.sources), self._starts, self._offsets, self._places]
        header = HEADER.pack(VERSION, len(self.sources), len(self))
        return zstandard.compress(header + b"".join(part.tobytes() for part in parts))

    @classmethod
    def unpack(cls, packed: bytes) -> "Plan":
        """Return the plan from the bytes of ``pack``; raises EngineError for anything else."""
        try:
            data = zstandard.decompress(packed)
            version, sources, number = HEADER.unpack_from(data)
        except (zstandard.ZstdError, struct.error) as e:
            raise EngineError("The plan of the download is damaged.") from e
        lengths = [("Q", sources), ("Q", number + 1), ("Q", number), ("I", number)]
        expected = HEADER.size + sum(array(code).itemsize * count for code, count in lengths)
        if version != VERSION or len(data) != expected:
            raise EngineError("The plan of the download is of another version.")
        parts, position = [], HEADER.size
        for code, count in lengths:
            end = position + array(code).itemsize * count
            parts.append(array(code, data[position:end]))
            position = end
        return cls(list(parts[0]), parts[1], parts[2], parts[3])

    def _place(self, source: int) -> int:
        if source not in self._known:
            self._known[source] = len(self.sources)
            self.sources.append(source)
        return self._known[source]

    def _volume_end(self) -> int:
        end: int = self._offsets[-1] + self._starts[-1] - self._starts[-2]
        return end
