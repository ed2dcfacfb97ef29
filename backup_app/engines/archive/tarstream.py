"""Reading a tar once, as it comes: what is in it, and where its blocks are.

``tarfile`` takes 60 µs a member, which for small files is more than all the rest. This reads what
GNU tar's ``--format=posix`` writes: ustar headers, pax headers before them, sparse format 1.0.
"""

import hashlib
import struct
import tarfile
from array import array
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ...exceptions import EngineError
from .process import nothing

BLOCK = 512
ZEROS = bytes(BLOCK)
HOLE = bytes(1024 * 1024)
MAX_PAX = 64 * 1024 * 1024  # of one member's pax headers
# Name, mode, user, group, size, mtime, type, target, magic, user's and group's name, prefix.
HEADER = struct.Struct("100s8s8s8s12s12s8xc100s5s3x32s32s16x155s12x")
KINDS = {
    b"0": "f",
    b"\0": "f",
    b"7": "f",
    b"5": "d",
    b"1": "h",
    b"2": "l",
    b"3": "b",
    b"4": "b",
    b"6": "p",
}


class CutOff(EngineError):
    """The tar ended in the middle."""


class Member(NamedTuple):
    path: bytes  # absolute
    kind: str  # as of Entry
    size: int  # of the content as a program reads it, holes and all
    mode: int
    owner: str  # by name, or the number where there is none
    group: str
    mtime_ns: int
    target: bytes  # of a symlink as it is; of a hard link an absolute path
    sha256: bytes | None  # of a file's content
    offset: int  # of the first block, which may be a pax header
    length: int  # with all headers and padding


class TarStream:
    """Iterates over the members of a tar, and hands the raw blocks on as they are.

    ``read`` returns the next bytes, b"" at the end. ``write`` gets all blocks up to the two of
    zeros at the end of the tar. ``tick`` is called now and then where nothing is read: in holes.
    Raises EngineError for what is no tar, CutOff for half of one.
    """

    def __init__(
        self,
        read: Callable[[], bytes],
        write: Callable[[bytes], None],
        tick: Callable[[], None] = nothing,
    ):
        self._read = read
        self._write = write
        self._tick = tick
        self._buffer = b""
        self._view = memoryview(b"")
        self._start = 0  # place of the buffer in the tar
        self._next = 0  # place in the buffer
        self._names: dict[bytes, str] = {}

    @property
    def position(self) -> int:
        """How many bytes of the tar have been read as members."""
        return self._start + self._next

    def __iter__(self) -> Iterator[Member]:
        while True:
            try:
                member = self._member()
            except (ValueError, KeyError, OverflowError) as e:
                raise EngineError(f"The tar is damaged before byte {self.position}: {e}.") from e
            if member is None:
                break
            yield member
        self._end()

    def _member(self) -> Member | None:
        pax: dict[bytes, bytes] = {}
        start = self.position
        while True:
            if self._next + BLOCK > len(self._buffer):
                self._refill(BLOCK)
            header = HEADER.unpack_from(self._buffer, self._next)
            self._next += BLOCK
            if header[8] != b"ustar":
                return self._require_end()
            flag = header[6]
            if flag == b"x":
                pax = self._pax(number(header[4]))
            elif flag == b"g":
                self._pax(number(header[4]))
            else:
                return self._described(header, pax, start)

    def _require_end(self) -> None:
        if self._buffer[self._next - BLOCK : self._next] != ZEROS:
            raise EngineError(f"What came is no tar: at byte {self.position - BLOCK}.")

    def _described(self, header: tuple, pax: dict[bytes, bytes], start: int) -> Member:
        kind = KINDS.get(header[6])
        if kind is None:
            raise EngineError(f"The tar has a member of the unknown type {header[6]!r}.")
        size, digest = self._file(header, pax) if kind == "f" else (0, None)
        mtime = pax.get(b"mtime")
        return Member(
            member_path(header, pax),
            kind,
            size,
            number(header[1]) & 0o7777,
            self._owner(pax.get(b"uname", header[9]), pax.get(b"uid"), header[2]),
            self._owner(pax.get(b"gname", header[10]), pax.get(b"gid"), header[3]),
            nanoseconds(mtime) if mtime else number(header[5]) * 1_000_000_000,
            link_target(kind, header, pax) if kind in "hl" else b"",
            digest,
            start,
            self.position - start,
        )

    def _file(self, header: tuple, pax: dict[bytes, bytes]) -> tuple[int, bytes]:
        stored = int(pax[b"size"]) if b"size" in pax else number(header[4])
        if stored < 0:
            raise EngineError(f"The tar has a member of {stored} bytes.")
        if b"GNU.sparse.major" in pax:
            size = int(pax[b"GNU.sparse.realsize"])
            digest = self._sparse(stored, size)
        else:
            size, digest = stored, self._content(stored)
        self._skip(-stored % BLOCK)
        return size, digest

    def _content(self, size: int) -> bytes:
        end = self._next + size
        if end <= len(self._buffer):
            digest = hashlib.sha256(self._view[self._next : end])
            self._next = end
        else:
            digest = hashlib.sha256()
            self._hash(digest, size)
        return digest.digest()

    def _hash(self, digest, size: int) -> None:
        while size:
            if self._next == len(self._buffer):
                self._refill(1)
            part = self._view[self._next : self._next + size]
            digest.update(part)
            self._next += len(part)
            size -= len(part)

    def _sparse(self, stored: int, size: int) -> bytes:
        extents, read = self._extents()
        digest, place = hashlib.sha256(), 0
        for start, length in zip(extents[0::2], extents[1::2], strict=True):
            self._fill(digest, start - place)
            self._hash(digest, length)
            place, read = start + length, read + length
        self._fill(digest, size - place)
        if read != stored:
            raise EngineError(f"A sparse file has {read} bytes of content, not {stored}.")
        return digest.digest()

    def _fill(self, digest, size: int) -> None:
        while size > 0:
            digest.update(HOLE[:size] if size < len(HOLE) else HOLE)
            size -= len(HOLE)
            self._tick()

    def _extents(self) -> tuple[array, int]:
        """Return offset and length of each extent in turn, and how many bytes told them."""
        numbers, rest, read, wanted = array("Q"), b"", 0, 1
        while len(numbers) < wanted:
            *lines, rest = (rest + self._take(BLOCK)).split(b"\n")
            numbers.extend(map(int, lines[: wanted - len(numbers)] if numbers else lines[:1]))
            if read == 0:
                wanted = 1 + 2 * numbers[0]
                numbers.extend(map(int, lines[1:wanted]))
            read += BLOCK
        return numbers[1:], read

    def _pax(self, size: int) -> dict[bytes, bytes]:
        if size > MAX_PAX:
            raise EngineError(f"A member's pax headers have {size} bytes, more than {MAX_PAX}.")
        data = self._take(size)
        self._skip(-size % BLOCK)
        records, place = {}, 0
        while place < size:
            space = data.index(b" ", place)
            end = place + int(data[place:space])
            key, _, value = data[space + 1 : end - 1].partition(b"=")
            records[key] = value
            place = end
        return records

    def _owner(self, name: bytes, long_number: bytes | None, short_number: bytes) -> str:
        text = self._names.get(name)
        if text is None:
            text = name.rstrip(b"\0").decode(errors="replace")[:100]
            if not text:
                return str(int(long_number or number(short_number)))
            self._names[name] = text
        return text

    def _take(self, size: int) -> bytes:
        if self._next + size > len(self._buffer):
            self._refill(size)
        data = self._buffer[self._next : self._next + size]
        self._next += size
        return data

    def _skip(self, size: int) -> None:
        if self._next + size > len(self._buffer):
            self._refill(size)
        self._next += size

    def _refill(self, size: int) -> None:
        """Hand on what was read, and read until there are ``size`` bytes."""
        self._flush()
        blocks = [self._buffer[self._next :]]
        have = len(blocks[0])
        while have < size:
            block = self._read()
            if not block:
                raise CutOff(f"The tar is cut off after {self.position + have} bytes.")
            blocks.append(block)
            have += len(block)
        self._start += self._next
        self._next = 0
        self._buffer = blocks[-1] if have == len(blocks[-1]) else b"".join(blocks)
        self._view = memoryview(self._buffer)

    def _flush(self) -> None:
        if self._next:
            whole = self._next == len(self._buffer)
            self._write(self._buffer if whole else self._buffer[: self._next])

    def _end(self) -> None:
        self._next -= BLOCK
        self._flush()
        self._start += self._next
        self._next, self._buffer = 0, b""
        while self._read():
            pass  # the padding after the blocks of zeros


def member_path(header: tuple, pax: dict[bytes, bytes]) -> bytes:
    """Return the absolute path of a member."""
    name = pax.get(b"GNU.sparse.name") or pax.get(b"path")
    if name is None:
        name = header[0].rstrip(b"\0")
        if prefix := header[11].rstrip(b"\0"):
            name = prefix + b"/" + name
    name = name.rstrip(b"/")
    return b"/" if name == b"." else b"/" + name


def link_target(kind: str, header: tuple, pax: dict[bytes, bytes]) -> bytes:
    """Return where a link leads."""
    target = pax.get(b"linkpath") or header[7].rstrip(b"\0")
    return b"/" + target if kind == "h" else target


def number(field: bytes) -> int:
    """Return the number of a header's field; raises EngineError."""
    try:
        return int(field[:-1], 8)
    except ValueError:
        return odd_number(field)


def odd_number(field: bytes) -> int:
    """Return a number that fills its field, is missing, or is in base 256."""
    try:
        return tarfile.nti(field)
    except tarfile.InvalidHeaderError as e:
        raise EngineError(f"The tar has {field!r} where a number belongs.") from e


def nanoseconds(text: bytes) -> int:
    """Return a decimal number of seconds as nanoseconds."""
    seconds, _, fraction = text.partition(b".")
    return int(seconds + fraction[:9].ljust(9, b"0"))
