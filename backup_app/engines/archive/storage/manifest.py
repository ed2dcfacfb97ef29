"""Manifests: beside each volume, all that the database knows of it.

Lines of JSON in zstd frames. The first is an object with ``format``, the job, its surroundings,
its volume and the ``columns`` of the other lines, which are lists. Paths, names and targets are
text in which each character is one byte (Latin-1); hashes are hexadecimal.
"""

from collections.abc import Generator, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, Self

import orjson
import zstandard
from django.db.models import Model
from django.utils import timezone

from ....exceptions import EngineError
from ....models import Job
from ...shared.durable import sync
from ...shared.job_parts import fileset_of, pool_of

Head = dict[str, Any]  # JSON
FORMAT = 1
SUFFIX = ".manifest"
CLIENT = "name ip internal_ip system connection ssh_user ssh_port host_key schedule"
PIECE = 256 * 1024
MAX_LINE = 1024 * 1024  # bytes of a line; paths and targets have 4,096 at most
FRAMES = 2  # the head, and the entries
SECTIONS = "job account client fileset pool zone volume".split()


class Row(NamedTuple):
    """An entry in a manifest, with the names that its columns have in the catalog too."""

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


COLUMNS = list(Row._fields)


class ManifestWriter:
    """Writes entries to a temporary file until the head, which comes first, is known."""

    def __init__(self, path: Path):
        self._path = path
        self._file = path.open("xb")
        self._stream = zstandard.ZstdCompressor(3, write_checksum=True).stream_writer(
            self._file, closefd=False
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._file.close()

    def add(self, rows: Iterable[tuple[Any, ...]]) -> None:
        """Add rows of ``COLUMNS``, with text where the module says so."""
        if lines := orjson.dumps(list(rows))[1:-1]:
            # Rows end with a number and begin with a text, in which a backslash precedes '"'.
            self._stream.write(lines.replace(b'],["', b']\n["') + b"\n")

    def finish(self, head: Head) -> Path:
        """Write the whole manifest to the disk; return its temporary path."""
        self._stream.flush(zstandard.FLUSH_FRAME)
        self._file.close()
        whole = self._path.with_suffix(".whole")
        line = orjson.dumps({"format": FORMAT, **head, "columns": COLUMNS}) + b"\n"
        with whole.open("xb") as target, self._path.open("rb") as lines:
            target.write(zstandard.ZstdCompressor(3, write_checksum=True).compress(line))
            while block := lines.read(1024 * 1024):
                target.write(block)
            # The caller renames it next: a name must not reach the disk before the content.
            sync(target)
        return whole


def head(job: Job, volume: Head, sources: dict[str, int]) -> Head:
    """Return the head of a manifest, from which ``rebuild_catalog`` can restore the job.

    ``sources`` are the IDs of the backups that its view consists of, by their volumes.
    """
    client = job.client
    return {
        "job": {
            "id": job.pk,
            **_values(job, "name level engine requested_by created started"),
            "ended": timezone.now(),  # only the renames come after this
            "sources": list(sources.values()),
            "volumes": list(sources),
        },
        "account": {"login": job.account.get_username(), "email": job.account.email},
        "client": {"id": client.pk, **_values(client, CLIENT)},
        "fileset": _values(
            fileset_of(job), "name include exclude options databases verify schedule"
        ),
        "pool": _values(pool_of(job), "name retention_days keep_full quota_bytes"),
        "zone": _values(client.zone, "name title"),
        "volume": volume,
    }


def _values(row: Model, names: str) -> Head:
    return {name: getattr(row, name) for name in names.split()}


class ManifestReader:
    """Reads the head of a manifest, then its entries; raises EngineError naming the file.

    Its content is not trusted: the disk may be damaged, and the file another's.
    """

    def __init__(self, path: Path):
        self.path = path
        lines = self._lines()
        head = self._parsed(next(lines, b""), dict)
        if head.get("format") != FORMAT or head.get("columns") != COLUMNS:
            raise self._damaged(f"its format is {head.get('format')!r}, not {FORMAT}")
        if not all(isinstance(head.get(name), dict) for name in SECTIONS):
            raise self._damaged("its head is incomplete")
        self.head: Head = head
        lines.close()

    @property
    def sources(self) -> dict[str, int]:
        """The former IDs of the backups that this one consists of, by volume, oldest first.

        A backup that was rebuilt may have another ID than its volume's name says. Manifests of
        earlier versions name no volumes.
        """
        job, folder = self.head["job"], self.path.parent.name
        try:
            numbers = job["sources"]
            named = [f"volumes/{folder}/job-{number}.tar.zst" for number in numbers]
            return dict(zip(job.get("volumes", named), numbers, strict=True))
        except (KeyError, TypeError, ValueError) as e:
            raise self._damaged(f"its list of sources is incomplete ({e!r})") from e

    def rows(self, *starts: bytes) -> Iterator[Row]:
        """Yield all entries in the order of the volume; raises EngineError at a damaged one.

        With ``starts`` only those whose paths begin with one of them: comparing the raw lines is
        many times faster than parsing each.
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
            path, *plain, target, sha256, offset, length = values
            digest = None if sha256 is None else bytes.fromhex(sha256)
            path, target = path.encode("latin-1"), target.encode("latin-1")
            return Row._make((path, *plain, target, digest, int(offset), int(length)))
        except (TypeError, ValueError, AttributeError) as e:
            raise self._damaged(f"a line is not an entry ({e})") from e

    def _parsed(self, line: bytes, kind: type) -> Any:
        try:
            value = orjson.loads(line)
        except orjson.JSONDecodeError as e:
            raise self._damaged(str(e)) from e
        if not isinstance(value, kind):
            raise self._damaged(f"a line is not a {kind.__name__}")
        return value

    def _lines(self) -> Generator[bytes]:
        rest = b""
        for piece in self._pieces():
            *lines, rest = (rest + piece).split(b"\n")
            yield from lines
            if len(rest) > MAX_LINE:
                raise self._damaged(f"a line is longer than {MAX_LINE} bytes")
        if rest:
            raise self._damaged("its last line has no end")

    def _pieces(self) -> Iterator[bytes]:
        """Yield the content of the frames; raises EngineError if one is cut off or missing."""
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
