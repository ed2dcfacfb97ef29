"""The files in a backup's view from the catalog, in the order of a tar."""

import base64
import binascii
import stat
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from ...values import Selection
from ..catalog.connection import Reader, text
from ..catalog.lstat import number
from ..catalog.schema import Schema

ALGORITHMS = {16: "md5", 20: "sha1", 32: "sha256", 64: "sha512"}
# Streams whose digest is that of the file's content: those of Windows contain more. That of a
# sparse file leaves out what is all zeros, by the client's buffers.
PLAIN = {2, 4, 29}
SPARSE = {6, 7, 30}


@dataclass(frozen=True, slots=True)
class Member:
    """A file or folder in a view. ``path`` is absolute, or begins with a drive."""

    path: bytes
    mode: int
    user: int
    group: int
    device: int
    size: int
    mtime: int
    digest: bytes  # of its content, b"" for none that can be compared
    is_sparse: bool  # long runs of zeros may be missing in the digest
    place: tuple[int, int]  # job and number in it
    link: tuple[int, int] | None  # the place of what it is a hard link to

    @property
    def is_regular(self) -> bool:
        return stat.S_ISREG(self.mode)


def members(
    reader: Reader, job_ids: Sequence[int], part: Selection | None = None
) -> Generator[Member, None, None]:
    """Yield the view of a chain of Bacula's jobs, or a part, folders before what is in them.

    Raises EngineUnreachable and EngineError where the catalog does.
    """
    values: dict[str, Any] = {"jobs": list(job_ids)}
    if part:
        values["files"] = [file_id for file_id, _ in part.files]
        values["folders"] = [path_id for path_id, _ in part.nodes]
    with closing(reader.stream(_part if part else _view, values)) as rows:
        for path, name, lstat, digest, job_id, file_index in rows:
            yield _member(path + name, _numbers(lstat), digest, (job_id, file_index))


def content_digest(lstat: bytes, signature: bytes) -> bytes:
    """Return the digest of a file's content, b"" for none that can be compared."""
    return _digest(signature) if _numbers(lstat)[15] in PLAIN | SPARSE else b""


def _part(schema: Schema) -> str:
    which = f"""AND ((pathid, {schema.name}) IN (
        SELECT pathid, {schema.name} FROM file WHERE fileid = ANY(%(files)s::bigint[])
    ) OR pathid IN (
        SELECT p.pathid FROM path p JOIN path above ON starts_with(p.path, above.path)
        WHERE above.pathid = ANY(%(folders)s::int[])
    ))"""  # noqa: S608 - made of constants
    return _view(schema, which)


def _view(schema: Schema, which: str = "") -> str:
    # The newest row of each path counts; a FileIndex below 1 marks a deleted file.
    return f"""
SELECT {text("p.path")}, {text("n.name")}, {text("f.lstat")}, {text("f.md5")}, f.jobid, f.fileindex
FROM (
    SELECT DISTINCT ON (pathid, {schema.name}) file.*
    FROM file JOIN job USING (jobid) WHERE jobid = ANY(%(jobs)s) {which}
    ORDER BY pathid, {schema.name}, jobtdate DESC, jobid DESC, fileindex DESC
) f JOIN path p USING (pathid) {schema.join("f")}
WHERE f.fileindex > 0
ORDER BY p.path, n.name
"""  # noqa: S608 - made of constants


def _member(path: bytes, numbers: Sequence[int], digest: bytes, place: tuple[int, int]) -> Member:
    mode, link, stream = numbers[2], numbers[13], numbers[15]
    # A plugin's file has no metadata.
    mode = mode if stat.S_IFMT(mode) else mode | stat.S_IFREG
    return Member(
        path=path.rstrip(b"/") or b"/",
        mode=stat.S_IFDIR | stat.S_IMODE(mode) if path.endswith(b"/") else mode,
        user=numbers[4],
        group=numbers[5],
        device=numbers[6],
        size=numbers[7],
        mtime=numbers[11],
        digest=_digest(digest) if stream in PLAIN | SPARSE else b"",
        is_sparse=stream in SPARSE,
        place=place,
        link=(place[0], link) if link else None,
    )


def _numbers(lstat: bytes) -> list[int]:
    """Return the 16 numbers of an entry; missing ones, of older clients, are 0."""
    numbers = [number(word) for word in lstat.split()]
    return numbers + [0] * (16 - len(numbers))


def _digest(words: bytes) -> bytes:
    try:
        digest = base64.b64decode(words + b"=" * (-len(words) % 4), validate=True)
    except binascii.Error:
        return b""
    return digest if len(digest) in ALGORITHMS else b""
