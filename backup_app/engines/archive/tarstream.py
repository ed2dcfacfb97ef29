"""Reading a tar once, as it comes: what is in it, and where its blocks are.

``tarfile`` takes 60 µs a member, which for small files is more than all the rest. This reads what
GNU tar's ``--format=posix`` writes: ustar headers, pax headers before them, sparse format 1.0.

And nothing else: the machine that made it may be somebody else's by now, and what this and the tar
that unpacks it understand in two ways would be restored to a place that nobody has chosen.
"""

import hashlib
import struct
from array import array
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ...exceptions import EngineError

BLOCK = 512
ZEROS = bytes(BLOCK)
HOLE = bytes(1024 * 1024)
MAX_PAX = 64 * 1024 * 1024  # of one member's pax headers
MAX_RECORDS = 100_000  # in these
MAX_EXTENTS = 16_000_000  # of a sparse file; they are held in memory
MAX_TARGET = 4096
MAX_NUMBER = 2**63 - 1  # that a database can hold
# Any user can make a file of exabytes of zeros, which nobody has the time to hash.
MAX_HOLES = 1024 * 1024 * 1024  # of a sparse file, or
HOLES_TO_DATA = 1000  # times what it holds
MAX_NAMES = 10_000  # of owners, that are remembered
# Name, mode, user, group, size, mtime, type, target, magic, user's and group's name, prefix.
HEADER = struct.Struct("100s8s8s8s12s12s8xc100s6s2x32s32s16x155s12x")
MAGIC = b"ustar\0"
PAX_KEYS = {
    *(b"path", b"linkpath", b"size", b"mtime", b"atime", b"ctime", b"uid", b"gid"),
    *(b"uname", b"gname", b"hdrcharset"),
    *(b"GNU.sparse.major", b"GNU.sparse.minor", b"GNU.sparse.name", b"GNU.sparse.realsize"),
}
PAX_PREFIXES = b"SCHILY.", b"RHT."  # attributes, ACLs and labels
KINDS = {
    b"0": "f",
    b"5": "d",
    b"1": "h",
    b"2": "l",
    b"3": "b",
    b"4": "b",
    b"6": "p",
}


def nothing(size: int) -> None:
    """Be told of parts by who tells nobody."""


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
    sha256: bytes | None  # of a file's content; None for one of next to nothing but holes
    offset: int  # of the first block, which may be a pax header
    length: int  # with all headers and padding


class TarStream:
    """Iterates over the members of a tar, and hands the raw blocks on as they are.

    ``read`` returns the next bytes, b"" at the end. ``write`` gets all blocks up to the two of
    zeros at the end of the tar. ``part`` is told how many bytes more of a member's content have
    been read, again and again where that takes long: in large files and in holes. Raises
    EngineError for what is no tar, CutOff for half of one.
    """

    def __init__(
        self,
        read: Callable[[], bytes],
        write: Callable[[bytes], None],
        part: Callable[[int], None] = nothing,
    ):
        self._read = read
        self._write = write
        self._part = part
        self._buffer = b""
        self._view = memoryview(b"")
        self._start = 0  # place of the buffer in the tar
        self._next = 0  # place in the buffer
        self._names: dict[bytes, str] = {}
        self.ctime_ns: int | None = None  # of the last member

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
            if header[8] != MAGIC:
                return self._require_end(pax)
            if header[6] != b"x":
                return self._described(header, pax, start)
            if pax:
                raise EngineError("A member of the tar has two pax headers.")
            pax = self._pax(number(header[4]))

    def _require_end(self, pax: dict[bytes, bytes]) -> None:
        if pax or self._buffer[self._next - BLOCK : self._next] != ZEROS:
            raise EngineError(f"What came is no tar: at byte {self.position - BLOCK}.")

    def _described(self, header: tuple, pax: dict[bytes, bytes], start: int) -> Member:
        kind = KINDS.get(header[6])
        if kind is None:
            raise EngineError(f"The tar has a member of the unknown type {header[6]!r}.")
        require_plain(kind, header, pax)
        size, digest = self._file(header, pax) if kind == "f" else (0, None)
        mtime = pax.get(b"mtime")
        self.ctime_ns = nanoseconds(pax[b"ctime"]) if b"ctime" in pax else None
        return Member(
            member_path(kind, header, pax),
            kind,
            size,
            number(header[1]) & 0o7777,
            self._owner(pax.get(b"uname", header[9]), pax.get(b"uid"), header[2]),
            self._owner(pax.get(b"gname", header[10]), pax.get(b"gid"), header[3]),
            nanoseconds(mtime) if mtime else within(number(header[5]) * 1_000_000_000),
            link_target(kind, header, pax) if kind in "hl" else b"",
            digest,
            start,
            self.position - start,
        )

    def _file(self, header: tuple, pax: dict[bytes, bytes]) -> tuple[int, bytes | None]:
        stored = decimal(pax[b"size"]) if b"size" in pax else number(header[4])
        if not 0 <= stored <= MAX_NUMBER:
            raise EngineError(f"The tar has a member of {stored} bytes.")
        if b"GNU.sparse.major" in pax:
            size = decimal(pax[b"GNU.sparse.realsize"])
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
            self._part(len(part))

    def _sparse(self, stored: int, size: int) -> bytes | None:
        extents, read = self._extents(stored)
        require_extents(extents, stored - read, size)
        if is_nearly_empty(stored - read, size):
            self._hash(hashlib.sha256(), stored - read)
            return None
        digest, place = hashlib.sha256(), 0
        for start, length in zip(extents[0::2], extents[1::2], strict=True):
            self._fill(digest, start - place)
            self._hash(digest, length)
            place = start + length
        self._fill(digest, size - place)
        return digest.digest()

    def _fill(self, digest, size: int) -> None:
        while size > 0:
            part = min(size, len(HOLE))
            digest.update(HOLE[:part])
            size -= part
            self._part(part)

    def _extents(self, stored: int) -> tuple[array, int]:
        """Return offset and length of each extent in turn, and how many bytes told them."""
        numbers, rest, read, wanted = array("Q"), b"", 0, 1
        while len(numbers) < wanted:
            if read >= stored or len(rest) > BLOCK:
                raise EngineError("The tar has a sparse file without a list of its extents.")
            *lines, rest = (rest + self._take(BLOCK)).split(b"\n")
            numbers.extend(map(decimal, lines[: wanted - len(numbers)] if read else lines[:1]))
            if read == 0:
                wanted = 1 + 2 * number_of_extents(numbers)
                numbers.extend(map(decimal, lines[1:wanted]))
            read += BLOCK
        return numbers[1:], read

    def _pax(self, size: int) -> dict[bytes, bytes]:
        if not 0 < size <= MAX_PAX:
            raise EngineError(f"A member's pax headers have {size} bytes: up to {MAX_PAX} may be.")
        data = self._take(size)
        self._skip(-size % BLOCK)
        records, place = {}, 0
        while place < size:
            space = data.index(b" ", place, place + 20)
            end = place + decimal(data[place:space])
            key, is_one, value = data[space + 1 : end - 1].partition(b"=")
            if not is_one or end > size or data[end - 1 : end] != b"\n" or key in records:
                raise EngineError(f"The tar has a damaged pax header: {data[place:end][:100]!r}.")
            require_known(key)
            records[key] = value
            place = end
        if len(records) > MAX_RECORDS:
            raise EngineError(f"The tar has a member with {len(records)} pax headers.")
        return records

    def _owner(self, name: bytes, long_number: bytes | None, short_number: bytes) -> str:
        text = self._names.get(name)
        if text is None:
            text = name.partition(b"\0")[0].decode(errors="replace")[:100]
            if not text:
                return str(decimal(long_number) if long_number else number(short_number))[:100]
            if len(self._names) < MAX_NAMES and len(name) <= BLOCK:
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


def require_plain(kind: str, header: tuple, pax: dict[bytes, bytes]) -> None:
    """Raise EngineError for what only files have in what is none, or half of a sparse file."""
    sparse = {key for key in pax if key.startswith(b"GNU.sparse.")}
    if kind != "f" and (sparse or b"size" in pax or number(header[4])):
        raise EngineError("The tar has a member with content that is no file.")
    version = pax.get(b"GNU.sparse.major"), pax.get(b"GNU.sparse.minor")
    if sparse and (len(sparse) < 4 or version != (b"1", b"0")):
        raise EngineError("The tar has a sparse file of another version than 1.0.")


def require_known(key: bytes) -> None:
    """Raise EngineError for a pax header that could mean anything to a tar."""
    if key not in PAX_KEYS and not key.startswith(PAX_PREFIXES):
        raise EngineError(f"The tar has a pax header that is not known: {key[:100]!r}.")


def require_extents(extents: array, data: int, size: int) -> None:
    """Raise EngineError unless extents follow each other in a file and have all of its data."""
    place = read = 0
    for start, length in zip(extents[0::2], extents[1::2], strict=True):
        if start < place:
            raise EngineError("The tar has a sparse file whose extents overlap.")
        place, read = start + length, read + length
    if read != data or not place <= size <= MAX_NUMBER:
        raise EngineError(f"A sparse file has {read} bytes of content, not {data}.")


def number_of_extents(numbers: array) -> int:
    if not numbers or numbers[0] > MAX_EXTENTS:
        raise EngineError(f"The tar has a sparse file of more than {MAX_EXTENTS} extents.")
    return numbers[0]


def is_nearly_empty(data: int, size: int) -> bool:
    """Say whether a sparse file is too empty for its content to be hashed."""
    return size - data > max(MAX_HOLES, HOLES_TO_DATA * data)


def member_path(kind: str, header: tuple, pax: dict[bytes, bytes]) -> bytes:
    """Return the absolute path of a member; raises EngineError for what may not be one."""
    name = pax.get(b"GNU.sparse.name", pax.get(b"path"))
    if name is None:
        name = header[0].rstrip(b"\0")
        if prefix := header[11].rstrip(b"\0"):
            name = prefix + b"/" + name
    if kind == "d":
        name = name.rstrip(b"/")
    if not name or b"\0" in name or name.endswith(b"/"):
        raise EngineError(f"The tar has a member of the name {name[:100]!r}.")
    return b"/" if name == b"." else b"/" + name


def link_target(kind: str, header: tuple, pax: dict[bytes, bytes]) -> bytes:
    """Return where a link leads; raises EngineError for what no link can have."""
    target = pax[b"linkpath"] if b"linkpath" in pax else header[7].rstrip(b"\0")
    if not target or b"\0" in target or len(target) > MAX_TARGET:
        raise EngineError(f"The tar has a link to {target[:100]!r}.")
    return b"/" + target if kind == "h" else target


def number(field: bytes) -> int:
    """Return the number of a header's field; raises EngineError."""
    digits = field[:-1]
    return int(digits, 8) if digits.isdigit() and field[-1] in b"\0 " else odd_number(field)


def odd_number(field: bytes) -> int:
    """Return a number that fills its field, is missing, or is in base 256."""
    digits = field.strip(b"\0 ") or b"0"
    if digits.isdigit():
        return int(digits, 8)
    if field[0] not in (0o200, 0o377):
        raise EngineError(f"The tar has {field!r} where a number belongs.")
    return int.from_bytes(field[1:], "big", signed=False) - (field[0] & 1) * 256 ** len(field[1:])


def decimal(text: bytes) -> int:
    """Return a number of a pax header, without what else Python takes for one."""
    if not text.isdigit():
        raise EngineError(f"The tar has {text[:100]!r} where a number belongs.")
    return int(text)


def nanoseconds(text: bytes) -> int:
    """Return a decimal number of seconds as nanoseconds."""
    seconds, _, fraction = text.partition(b".")
    return within(int(seconds + fraction[:9].ljust(9, b"0")))


def within(number: int) -> int:
    """Return the nearest number that 64 bits can hold: that of nanoseconds ends in 2262."""
    return max(-MAX_NUMBER, min(MAX_NUMBER, number))
