"""The headers of most members of a tar, read in one step.

GNU tar writes three blocks before the content of a file or folder with a short name and without
extended attributes: a pax header, its two times, and a plain header. Reading them in one step takes
a fifth off the time of a member.
"""

import re
import struct
from typing import NamedTuple

from .tar_headers import absolute, nanoseconds, number, owner, owner_numbers

MAGIC = b"ustar\0"
MAX_OWNERS = 10_000  # in memory
# Of the pax header size, type and magic; its records; of the plain header name, numbers (mode, user
# and group), size, type, magic, names of user and group, prefix.
BLOCKS = struct.Struct("124x12s20xc100x6s249x 512s 100s24s12s20xc100x6s2x64s16x155s12x")
TIMES = re.compile(
    rb"([1-9][0-9]) mtime=([0-9]{1,10}(?:\.[0-9]{1,9})?)\n"
    rb"([1-9][0-9]) ctime=([0-9]{1,10}(?:\.[0-9]{1,9})?)\n"
)
KINDS = {b"0": "f", b"5": "d"}
NO_PREFIX = bytes(155)


class Owners(NamedTuple):
    """Who owns a member, and its mode."""

    numbers: str  # as ``owner_numbers``
    mode: int
    user: str
    group: str


class UsualHeaders:
    """Reads headers of the usual form; remembers owners, since most members have the same."""

    def __init__(self) -> None:
        self.owners: dict[tuple[bytes, bytes], Owners] = {}

    def read(self, buffer: bytes, at: int) -> tuple[bytes, str, int, int, int, Owners] | None:
        """Return path, kind, size, mtime, ctime and owners; None for any other form.

        Raises EngineError for an invalid path or number.
        """
        if at + BLOCKS.size > len(buffer):
            return None
        pax_size, pax_type, pax_magic, records, *plain = BLOCKS.unpack_from(buffer, at)
        name, numbers, size, letter, magic, names, prefix = plain
        kind = KINDS.get(letter)
        if pax_type != b"x" or not pax_magic == magic == MAGIC or prefix != NO_PREFIX or not kind:
            return None
        times = times_in(records, number(pax_size))
        stored = number(size)
        if times is None or stored < 0 or (stored and kind == "d"):
            return None
        owners = self.owners_in(numbers, names)
        return absolute(kind, name.rstrip(b"\0")), kind, stored, *times, owners

    def owners_in(self, numbers: bytes, names: bytes) -> Owners:
        """Return the owners that these fields of a header name."""
        return self.owners.get((numbers, names)) or self._read_owners(numbers, names)

    def _read_owners(self, numbers: bytes, names: bytes) -> Owners:
        mode, user, group = numbers[:8], numbers[8:16], numbers[16:]
        found = Owners(
            owner_numbers(mode, user, group, None, None),
            number(mode) & 0o7777,
            owner(names[:32], None, user),
            owner(names[32:], None, group),
        )
        if len(self.owners) < MAX_OWNERS:
            self.owners[numbers, names] = found
        return found


def times_in(records: bytes, size: int) -> tuple[int, int] | None:
    """Return mtime and ctime if the records of a pax header are only these two."""
    found = TIMES.fullmatch(records, 0, max(size, 0))
    if not found:
        return None
    first, mtime, second, ctime = found.groups()
    middle = found.start(3)
    if int(first) != middle or int(second) != size - middle:
        return None
    changed = nanoseconds(ctime)
    return (changed if mtime == ctime else nanoseconds(mtime)), changed
