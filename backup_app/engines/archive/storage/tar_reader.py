"""Reading a tar as a stream: its members, and where their blocks are.

``tarfile`` takes 60 µs per member, which for small files is more than all the rest. This reads what
GNU tar's ``--format=posix`` writes: ustar headers, pax headers before them, sparse format 1.0.

It rejects everything else: the machine that wrote it may have been taken over, and a member that
this and the tar that unpacks it understand differently would be restored to an unchecked place.
"""

import hashlib
import struct
from array import array
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ....exceptions import EngineError
from ....lib.hashing import BackgroundHash
from .sparse import is_nearly_empty, number_of_extents, require_extents
from .tar_headers import (
    Header,
    changed,
    decimal,
    link_target,
    member_path,
    modified,
    number,
    owner_numbers,
    owners,
    require_known,
    require_plain,
    sizes,
)
from .usual_headers import BLOCKS, MAGIC, UsualHeaders

BLOCK = 512
ZEROS = bytes(BLOCK)
HOLE = bytes(1024 * 1024)
# Limits on memory; pax headers hold extended attributes and ACLs.
MAX_PAX = 64 * 1024 * 1024  # bytes of one member's pax headers
MAX_RECORDS = 100_000  # in these
SMALL = 256 * 1024  # bytes of content for which a thread of its own is too much
# Name, mode, user, group, size, mtime, type, target, magic, user's and group's name, prefix.
HEADER = struct.Struct("100s8s8s8s12s12s8xc100s6s2x32s32s16x155s12x")
PLAIN = {b"mtime", b"ctime"}
KINDS = {b"0": "f", b"5": "d", b"1": "h", b"2": "l", b"3": "b", b"4": "b", b"6": "p"}


class CutOff(EngineError):
    """The tar ends in the middle."""


class Member(NamedTuple):
    """A member of a tar, with its place."""

    path: bytes  # absolute
    kind: str  # as of Entry
    size: int  # of the content as a program reads it, holes and all
    mode: int
    owner: str  # by name, or the number where there is none
    group: str
    mtime_ns: int
    target: bytes  # of a symlink as it is; of a hard link an absolute path
    sha256: bytes | None  # of a file's content; None for one that is nearly all holes
    offset: int  # of the first block, which may be a pax header
    length: int  # with all headers and padding


class Identity(NamedTuple):
    """What a tar tells about a member before its content, to compare it with a scan."""

    path: bytes
    kind: str
    size: int
    mtime_ns: int
    ctime_ns: int | None
    owner: str  # as of ToStore
    target: bytes


class TarStream:
    """Iterates over the members of a tar, and copies their raw blocks.

    ``read`` returns the next bytes, b"" at the end. ``write`` gets all blocks except the two of
    zeros at the end of the tar. ``part`` is called with the number of bytes read since the last
    call, within large files and holes too. Members that ``admit`` refuses are not copied.
    ``start`` is the position of the first block in the copy. Raises EngineError for anything but a
    tar, and CutOff for a truncated one.
    """

    def __init__(
        self,
        read: Callable[[], bytes],
        write: Callable[[memoryview], None],
        part: Callable[[int], None] = lambda size: None,
        admit: Callable[[Identity], bool] | None = None,
        start: int = 0,
    ):
        self._read = read
        self._write = write
        self._part = part
        self._admit = admit
        self._buffer = b""
        self._view = memoryview(b"")
        self._start = start  # place of the buffer in the tar
        self._next = 0  # place in the buffer
        self._flushed = 0  # end of what was copied or left out
        self._held: int | None = None  # start of what waits for ``admit``
        self._left_out = 0  # bytes
        self._usual_headers = UsualHeaders()
        self._owners = self._usual_headers.owners

    @property
    def position(self) -> int:
        """The position in bytes after the members that were read."""
        return self._start + self._next

    def __iter__(self) -> Iterator[Member]:
        while True:
            try:
                member = self._usual() or self._member()
            except (ValueError, OverflowError) as e:
                raise EngineError(f"The tar is damaged before byte {self.position}: {e}.") from e
            if member is None:
                break
            yield member
        self._end()

    def _usual(self) -> Member | None:
        """Return the next member, unless its headers are unusual or its content is not here yet."""
        while found := self._usual_headers.read(self._buffer, self._next):
            path, kind, size, mtime_ns, ctime_ns, (numbers, mode, owner, group) = found
            start, content = self._next, self._next + BLOCKS.size
            end = content + size
            self._held, whole = start, end + -size % BLOCK
            if whole > len(self._buffer):
                return None
            if self._admit and not self._admit(
                Identity(path, kind, size, mtime_ns, ctime_ns, numbers, b"")
            ):
                self._next = content
                self._leave_out(size)
                continue
            digest = hashlib.sha256(self._view[content:end]).digest() if kind == "f" else None
            self._next, self._held = whole, None
            place = self._start + start - self._left_out, whole - start
            return Member(path, kind, size, mode, owner, group, mtime_ns, b"", digest, *place)
        return None

    def _member(self) -> Member | None:
        pax: dict[bytes, bytes] = {}
        start, self._held = self.position, self._next
        while True:
            if self._next + BLOCK > len(self._buffer):
                self._refill(BLOCK)
            header = HEADER.unpack_from(self._buffer, self._next)
            self._next += BLOCK
            if header[8] != MAGIC:
                self._require_end(pax)
                return None
            if header[6] != b"x":
                if member := self._described(header, pax, start):
                    return member
                pax, start, self._held = {}, self.position, self._next
                continue
            if pax:
                raise EngineError("A member of the tar has two pax headers.")
            pax = self._pax(number(header[4]))

    def _require_end(self, pax: dict[bytes, bytes]) -> None:
        if pax or self._buffer[self._next - BLOCK : self._next] != ZEROS:
            raise EngineError(f"This is not a tar: byte {self.position - BLOCK}.")

    def _described(self, header: Header, pax: dict[bytes, bytes], start: int) -> Member | None:
        """Read a member to its end; return None if it is not admitted."""
        kind = KINDS.get(header[6])
        if kind is None:
            raise EngineError(f"The tar has a member of the unknown type {header[6]!r}.")
        plain = PLAIN.issuperset(pax)
        if kind != "f" or not plain:
            require_plain(kind, header, pax)
        path, mtime_ns = member_path(kind, header, pax), modified(header, pax)
        stored, size = sizes(header, pax) if kind == "f" else (0, 0)
        target = link_target(kind, header, pax) if kind in "hl" else b""
        if self._admit:
            numbers = owner_numbers(*header[1:4], pax.get(b"uid"), pax.get(b"gid"))
            if not self._admit(Identity(path, kind, size, mtime_ns, changed(pax), numbers, target)):
                self._leave_out(stored)
                return None
        self._held = None
        digest = self._file(stored, size, pax) if kind == "f" else None
        owner, group = self._remembered(header) if plain else owners(header, pax)
        return Member(
            path,
            kind,
            size,
            number(header[1]) & 0o7777,
            owner,
            group,
            mtime_ns,
            target,
            digest,
            start - self._left_out,
            self._start + self._next - start,
        )

    def _leave_out(self, stored: int) -> None:
        """Read a member to its end without copying it."""
        self._flush()
        write, self._write, self._held = self._write, self._count, None
        for part in self._parts(stored):
            self._part(len(part))
        self._skip(-stored % BLOCK)
        self._flush()
        self._write = write

    def _count(self, block: memoryview) -> None:
        self._left_out += len(block)

    def _file(self, stored: int, size: int, pax: dict[bytes, bytes]) -> bytes | None:
        sparse = b"GNU.sparse.major" in pax
        digest = self._sparse(stored, size) if sparse else self._content(stored)
        self._skip(-stored % BLOCK)
        return digest

    def _content(self, size: int) -> bytes:
        if size <= SMALL:
            return hashlib.sha256(self._take(size)).digest()
        with BackgroundHash() as whole:
            self._hash(whole, size)
            return whole.digest()

    def _hash(self, digest: "hashlib._Hash | BackgroundHash", size: int) -> None:
        for part in self._parts(size):
            digest.update(part)
            self._part(len(part))

    def _parts(self, size: int) -> Iterator[memoryview]:
        while size:
            if self._next == len(self._buffer):
                self._refill(1)
            part = self._view[self._next : self._next + size]
            self._next += len(part)
            size -= len(part)
            yield part

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

    def _fill(self, digest: "hashlib._Hash", size: int) -> None:
        while size > 0:
            part = min(size, len(HOLE))
            digest.update(HOLE[:part])
            size -= part
            self._part(part)

    def _extents(self, stored: int) -> tuple["array[int]", int]:
        """Return offset and length of each extent in turn, and the size of their list in bytes."""
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
            raise EngineError(f"A member's pax headers have {size} bytes, not 1 to {MAX_PAX}.")
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
                raise EngineError(f"A member of the tar has more than {MAX_RECORDS} pax headers.")
        return records

    def _remembered(self, header: Header) -> tuple[str, str]:
        found = self._usual_headers.owners_in(b"".join(header[1:4]), header[9] + header[10])
        return found.user, found.group

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
        """Copy what was read, and read until there are ``size`` bytes."""
        self._flush()
        blocks = [self._buffer[self._flushed :]]
        have = len(blocks[0])
        size += self._next - self._flushed
        while have < size:
            block = self._read()
            if not block:
                end = self._start + self._flushed + have
                raise CutOff(f"The tar is cut off after {end} bytes.")
            blocks.append(block)
            have += len(block)
        self._start += self._flushed
        self._next -= self._flushed
        self._flushed, self._held = 0, None if self._held is None else 0
        self._buffer = blocks[-1] if have == len(blocks[-1]) else b"".join(blocks)
        self._view = memoryview(self._buffer)

    def _flush(self) -> None:
        end = self._next if self._held is None else self._held
        if end > self._flushed:
            self._write(self._view[self._flushed : end])
            self._flushed = end

    def _end(self) -> None:
        self._next -= BLOCK
        self._flush()
        self._start += self._next
        self._next, self._flushed, self._buffer = 0, 0, b""
        while self._read():
            pass  # the padding after the blocks of zeros
