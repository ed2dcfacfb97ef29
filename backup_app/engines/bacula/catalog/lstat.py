"""LStat: what a file daemon saw of a file, as numbers in a base 64 of Bacula's own.

The files of a folder have most of their fields in common, so what each means is kept for a while.
"""

import binascii
import stat
from functools import lru_cache
from typing import NamedTuple

DIGITS = {
    byte: value
    for value, byte in enumerate(
        b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    )
}
SHA256 = 43  # digits, without padding
LONGEST = 11  # digits of 64 bits
FIELDS = 14  # that are needed of them
FILE, DIRECTORY, HARDLINK = "file", "directory", "hardlink"
TYPES = {
    stat.S_IFDIR: DIRECTORY,
    stat.S_IFLNK: "symlink",
    stat.S_IFIFO: "fifo",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
}
KEPT = 2**14


class Status(NamedTuple):
    """What is shown of it; ``type`` is one of those of ``File``."""

    type: str
    size: int
    mtime: int
    mode: int
    owner: str
    group: str


UNKNOWN = Status(FILE, 0, 0, 0, "0", "0")


def decoded(lstat: bytes) -> Status:
    """Return what an LStat says; where it is damaged, a file of which nothing is known."""
    fields = lstat.split(b" ", FIELDS)
    if len(fields) < FIELDS:
        return UNKNOWN
    _, _, mode, _, uid, gid, _, size, _, _, _, mtime, _, link, *_ = fields
    kind, permissions = _kind(mode, link)
    length = 0 if kind == DIRECTORY else number(size)
    # What a program has written was of unknown size: -1.
    return Status(kind, max(0, length), number(mtime), permissions, _shown(uid), _shown(gid))


@lru_cache(KEPT)
def number(field: bytes) -> int:
    """Return a number of an LStat; 0 for what is none of 64 bits."""
    digits = field.removeprefix(b"-")
    if len(digits) > LONGEST or not DIGITS.keys() >= set(digits):
        return 0
    value = 0
    for digit in digits:
        value = value * 64 + DIGITS[digit]
    value = -value if digits != field else value
    return value if -(2**63) <= value < 2**63 else 0


def sha256(signature: bytes) -> bytes | None:
    """Return what a file's signature is of SHA-256, None for one of another kind or of none."""
    if len(signature) != SHA256:
        return None
    try:
        return binascii.a2b_base64(signature + b"=", strict_mode=True)
    except binascii.Error:
        return None


@lru_cache(KEPT)
def _kind(mode: bytes, link: bytes) -> tuple[str, int]:
    """Return type and permissions."""
    bits = number(mode)
    kind = TYPES.get(stat.S_IFMT(bits)) or (HARDLINK if number(link) > 0 else FILE)
    return kind, stat.S_IMODE(bits)


@lru_cache(KEPT)
def _shown(field: bytes) -> str:
    return str(number(field))
