"""LStat: a file's metadata from the file daemon, as numbers in Bacula's own base 64.

The files of a folder share most of their fields, so decoded fields are cached.
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
MAX_DIGITS = 11  # digits of 64 bits
FIELDS = 14  # that are needed
FILE, DIRECTORY, HARDLINK = "file", "directory", "hardlink"
TYPES = {
    stat.S_IFDIR: DIRECTORY,
    stat.S_IFLNK: "symlink",
    stat.S_IFIFO: "fifo",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
}
CACHE_SIZE = 2**14  # fields, some megabytes


class Status(NamedTuple):
    """The fields of an LStat that are shown; ``type`` is that of ``File``."""

    type: str
    size: int
    mtime: int
    mode: int
    owner: str
    group: str


UNKNOWN = Status(FILE, 0, 0, 0, "0", "0")


def decoded(lstat: bytes) -> Status:
    """Return the fields of an LStat; of a damaged one those of an empty file."""
    fields = lstat.split(b" ", FIELDS)
    if len(fields) < FIELDS:
        return UNKNOWN
    _, _, mode, _, uid, gid, _, size, _, _, _, mtime, _, link, *_ = fields
    kind, permissions = _kind(mode, link)
    length = 0 if kind == DIRECTORY else number(size)
    # The size of what a plugin wrote is not known beforehand: -1.
    return Status(kind, max(0, length), number(mtime), permissions, _as_text(uid), _as_text(gid))


@lru_cache(CACHE_SIZE)
def number(field: bytes) -> int:
    """Return the number in a field of an LStat; 0 if it is not one of 64 bits."""
    digits = field.removeprefix(b"-")
    if len(digits) > MAX_DIGITS or not DIGITS.keys() >= set(digits):
        return 0
    value = 0
    for digit in digits:
        value = value * 64 + DIGITS[digit]
    value = -value if digits != field else value
    return value if -(2**63) <= value < 2**63 else 0


def sha256(signature: bytes) -> bytes | None:
    """Return the SHA-256 digest in a file's signature, None if it is of another kind."""
    if len(signature) != SHA256:
        return None
    try:
        return binascii.a2b_base64(signature + b"=", strict_mode=True)
    except binascii.Error:
        return None


@lru_cache(CACHE_SIZE)
def _kind(mode: bytes, link: bytes) -> tuple[str, int]:
    """Return type and permissions."""
    bits = number(mode)
    kind = TYPES.get(stat.S_IFMT(bits)) or (HARDLINK if number(link) > 0 else FILE)
    return kind, stat.S_IMODE(bits)


@lru_cache(CACHE_SIZE)
def _as_text(field: bytes) -> str:
    return str(number(field))
