"""Reading manifests, of which no byte is trusted: the disk may have changed it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import zstandard

from ....exceptions import EngineError
from .manifest import COLUMNS, FORMAT

PIECE = 256 * 1024
LONGEST = 1024 * 1024  # of a line
FRAMES = 2  # the head, and the entries
SECTIONS = "job account client fileset pool zone volume".split()


class Row(NamedTuple):
    """What a manifest says of an entry; the columns are those of ``manifest.COLUMNS``."""

    path: bytes
    kind: str
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    mode: int
    owner: str
    group: str
    target: bytes
    sha256: bytes | None
    offset: int
    length: int


class ManifestReader:
    """Gives the head of a manifest, then its entries. Raises EngineError naming the file."""

    def __init__(self, path: Path):
        self.path = path
        lines = self._lines()
        head = self._parsed(next(lines, b""), dict)
        if head.get("format") != FORMAT or head.get("columns") != COLUMNS:
            raise self._damaged(f"its format is {head.get('format')!r}, not {FORMAT}")
        if not all(isinstance(head.get(name), dict) for name in SECTIONS):
            raise self._damaged("its head is not complete")
        self.head: dict[str, Any] = head
        lines.close()

    @property
    def sources(self) -> dict[str, int]:
        """The IDs that the backups had which this one consists of, by their volumes, oldest first.

        A backup that came back has another ID than its volume says. Manifests of earlier versions
        name no volumes.
        """
        job, folder = self.head["job"], self.path.parent.name
        try:
            numbers = job["sources"]
            named = [f"volumes/{folder}/job-{number}.tar.zst" for number in numbers]
            return dict(zip(job.get("volumes", named), numbers, strict=True))
        except (KeyError, TypeError, ValueError) as e:
            raise self._damaged(f"what it builds on is not complete ({e!r})") from e

    def rows(self, *starts: bytes) -> Iterator[Row]:
        """Yield all entries in the order of the volume; raises EngineError at a damaged one.

        With ``starts`` only those whose paths begin with one of them, which is many times faster.
        """
        lines = self._lines()
        next(lines)
        begun = tuple(b"[" + orjson.dumps(start.decode("latin-1"))[:-1] for start in starts)
        end = 0
        for line in lines:
            if begun and not line.startswith(begun):
                continue
            row = self._row(line)
            end = max(end, row.offset + row.length)
            yield row
        if not starts and end != self.head["volume"].get("tar_size"):
            raise self._damaged("it ends too early")

    def _row(self, line: bytes) -> Row:
        values = self._parsed(line, list)
        try:
            row = Row(*values)
            return row._replace(
                path=row.path.encode("latin-1"),
                target=row.target.encode("latin-1"),
                sha256=None if row.sha256 is None else bytes.fromhex(row.sha256),
                offset=int(row.offset),
                length=int(row.length),
            )
        except (TypeError, ValueError, AttributeError) as e:
            raise self._damaged(f"a line is no entry ({e})") from e

    def _parsed(self, line: bytes, kind: type) -> Any:
        try:
            value = orjson.loads(line)
        except orjson.JSONDecodeError as e:
            raise self._damaged(str(e)) from e
        if not isinstance(value, kind):
            raise self._damaged(f"a line is no {kind.__name__}")
        return value

    def _lines(self) -> Iterator[bytes]:
        rest = b""
        for piece in self._pieces():
            *lines, rest = (rest + piece).split(b"\n")
            yield from lines
            if len(rest) > LONGEST:
                raise self._damaged(f"a line is longer than {LONGEST} bytes")
        if rest:
            raise self._damaged("its last line has no end")

    def _pieces(self) -> Iterator[bytes]:
        """Yield what is in the frames; notices when one is cut off or missing."""
        frames, frame = 0, None
        try:
            with self.path.open("rb") as file:
                while data := file.read(PIECE):
                    while data:
                        frame = frame or zstandard.ZstdDecompressor().decompressobj()
                        yield frame.decompress(data)
                        data = frame.unused_data
                        if frame.eof:
                            frames, frame = frames + 1, None
        except OSError as e:
            raise EngineError(f"The manifest '{self.path}' cannot be read: {e.strerror}.") from e
        except zstandard.ZstdError as e:
            raise self._damaged(str(e)) from e
        if frame or frames < FRAMES:
            raise self._damaged("it is cut off")

    def _damaged(self, why: str) -> EngineError:
        return EngineError(f"The manifest '{self.path}' is damaged: {why}.")
