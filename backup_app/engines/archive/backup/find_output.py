"""Parsing the output of GNU ``find``, thousands of records at once.

One record at a time takes twice as long, and a backup does nothing else as often.
"""

from collections.abc import Iterator

from ....exceptions import EngineError
from ..storage.tar_headers import MAX_NUMBER, within
from ..transport.process import Process

# Type, links, size, mtime, ctime, inode, owner with group and mode; then the path, which may
# contain any byte but NUL.
FORMAT = "%y %n %s %T@ %C@ %i %U:%G:%m\\0%p\\0"
FIELDS = 7
MAX_RECORD = 1024 * 1024  # bytes without a NUL: no path is that long, so it is not find's output
POINTS = {"."}

# Kind, number of links, size, mtime, ctime, inode, owner, path.
Record = tuple[str, str, int, int, int, int, str, bytes]


def records(process: Process) -> Iterator[Record]:
    """Yield the records that find prints; raises EngineError for invalid ones."""
    rest = b""
    while block := process.read():
        *parts, rest = (rest + block).split(b"\0")
        if len(parts) % 2:
            rest = parts.pop() + b"\0" + rest
        if parts:
            yield from parsed(parts[0::2], parts[1::2])
        if len(rest) > MAX_RECORD:
            raise EngineError(f"find printed {len(rest)} bytes without a NUL: {rest[:100]!r}…")


def parsed(lines: list[bytes], paths: list[bytes]) -> Iterator[Record]:
    """Yield records from their lines and paths."""
    try:
        fields = b" ".join(lines).decode("ascii").split(" ")
        letters, links, *numbers, owners = (fields[start::FIELDS] for start in range(FIELDS))
        sizes, inodes = integers(numbers[0], 2**63), integers(numbers[3], 2**64)
        mtimes, ctimes = nanoseconds(numbers[1]), nanoseconds(numbers[2])
    except ValueError as e:
        raise EngineError(f"find printed an invalid line: {e}") from e
    if len(fields) != FIELDS * len(lines):
        raise EngineError(f"find printed an invalid line: {lines[0][:100]!r}.")
    if max(inodes) > MAX_NUMBER:
        inodes = list(map(signed, inodes))
    return zip(letters, links, sizes, mtimes, ctimes, inodes, owners, paths, strict=True)


def integers(texts: list[str], end: int) -> list[int]:
    """Return numbers; raises EngineError for one below 0 or not below the end."""
    found = list(map(int, texts))
    if min(found) < 0 or max(found) >= end:
        raise EngineError(f"find printed a number out of range: {min(found)} or {max(found)}.")
    return found


def nanoseconds(texts: list[str]) -> list[int]:
    """Return find's seconds, with ten digits after the point, as nanoseconds."""
    whole = " ".join(texts)
    if "-" in whole or {text[-11:-10] for text in texts} != POINTS:
        return list(map(timestamp, texts))
    found = [number // 10 for number in map(int, whole.replace(".", "").split(" "))]
    return found if max(found) <= MAX_NUMBER else list(map(within, found))


def timestamp(text: str) -> int:
    """Return one time; raises ValueError."""
    seconds, point, fraction = text.partition(".")
    if not point or len(fraction) != 10:
        raise ValueError(f"'{text[:100]}' is not a time.")
    # For times before 1970 find rounds the seconds down, and prints what is added to them.
    return within(int(seconds) * 1_000_000_000 + int(fraction[:9]))


def signed(number: int) -> int:
    """Return an unsigned 64-bit number as the signed one that the database can store."""
    return number if number <= MAX_NUMBER else number - (1 << 64)
