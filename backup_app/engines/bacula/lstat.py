"""LStat: what a file daemon saw of a file, as numbers in a base 64 of Bacula's own."""

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
MODE, UID, GID, SIZE, MTIME, LINK = 2, 4, 5, 7, 11, 13  # places among its fields
FILE = "file"
TYPES = {
    stat.S_IFDIR: "directory",
    stat.S_IFLNK: "symlink",
    stat.S_IFIFO: "fifo",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
}


class Status(NamedTuple):
    """What is shown of it; ``type`` is one of those of ``File``."""

    type: str
    mode: int
    uid: int
    gid: int
    size: int
    mtime: int


def decoded(lstat: bytes) -> Status:
    """Return what an LStat says; where it is damaged, a file of which nothing is known."""
    fields = lstat.split(b" ")
    if len(fields) <= LINK:
        return Status(FILE, 0, 0, 0, 0, 0)
    mode, size = number(fields[MODE]), number(fields[SIZE])
    kind = TYPES.get(stat.S_IFMT(mode)) or ("hardlink" if number(fields[LINK]) > 0 else FILE)
    return Status(
        kind,
        stat.S_IMODE(mode),
        number(fields[UID]),
        number(fields[GID]),
        # What a program has written was of unknown size: -1.
        size if size > 0 and kind != "directory" else 0,
        number(fields[MTIME]),
    )


@lru_cache(maxsize=2**14)  # files of a folder have most of them in common
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
