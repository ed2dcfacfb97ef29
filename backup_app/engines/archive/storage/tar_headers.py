"""The fields of a tar's headers: fixed ones of ustar, and pax headers, which go before them.

A ``Header`` is a tuple as ``tar_reader.HEADER`` unpacks it.
"""

from functools import lru_cache

from ....exceptions import EngineError

Header = tuple[bytes, ...]
MAX_TARGET = 4096  # PATH_MAX: Linux makes no longer link
MAX_NUMBER = 2**63 - 1  # the largest that the database stores
PAX_KEYS = {
    *(b"path", b"linkpath", b"size", b"mtime", b"atime", b"ctime", b"uid", b"gid"),
    *(b"uname", b"gname", b"hdrcharset"),
    *(b"GNU.sparse.major", b"GNU.sparse.minor", b"GNU.sparse.name", b"GNU.sparse.realsize"),
}
PAX_PREFIXES = b"SCHILY.", b"RHT."  # attributes, ACLs and labels


def owners(header: Header, pax: dict[bytes, bytes]) -> tuple[str, str]:
    """Return the names of a member's user and group, or their numbers if they have no names."""
    return (
        owner(pax.get(b"uname", header[9]), pax.get(b"uid"), header[2]),
        owner(pax.get(b"gname", header[10]), pax.get(b"gid"), header[3]),
    )


def owner(name: bytes, long_number: bytes | None, short_number: bytes) -> str:
    """Return the name of a user or group, or else its number, in at most 100 characters."""
    text = name.partition(b"\0")[0].decode(errors="replace")[:100]
    return text or str(decimal(long_number) if long_number else number(short_number))[:100]


@lru_cache(10_000)
def owner_numbers(
    mode: bytes, user: bytes, group: bytes, long_user: bytes | None, long_group: bytes | None
) -> str:
    """Return user, group and mode as numbers, as find prints them: "0:0:644"."""
    uid = decimal(long_user) if long_user else number(user)
    gid = decimal(long_group) if long_group else number(group)
    return f"{uid}:{gid}:{number(mode) & 0o7777:o}"


def modified(header: Header, pax: dict[bytes, bytes]) -> int:
    """Return when a member's content was changed, in nanoseconds."""
    mtime = pax.get(b"mtime")
    return nanoseconds(mtime) if mtime else within(number(header[5]) * 1_000_000_000)


def changed(pax: dict[bytes, bytes]) -> int | None:
    """Return when a member or its metadata was changed, in nanoseconds; None if unknown."""
    return nanoseconds(pax[b"ctime"]) if b"ctime" in pax else None


def sizes(header: Header, pax: dict[bytes, bytes]) -> tuple[int, int]:
    """Return the bytes of a file's content in the tar, and as a program reads it."""
    stored = decimal(pax[b"size"]) if b"size" in pax else number(header[4])
    if not 0 <= stored <= MAX_NUMBER:
        raise EngineError(f"The tar has a member of {stored} bytes.")
    sparse = b"GNU.sparse.major" in pax
    return stored, decimal(pax[b"GNU.sparse.realsize"]) if sparse else stored


def member_path(kind: str, header: Header, pax: dict[bytes, bytes]) -> bytes:
    """Return the absolute path of a member; raises EngineError for an invalid one."""
    name = pax.get(b"GNU.sparse.name", pax.get(b"path"))
    if name is None:
        name = header[0].rstrip(b"\0")
        if prefix := header[11].rstrip(b"\0"):
            name = prefix + b"/" + name
    return absolute(kind, name)


def absolute(kind: str, name: bytes) -> bytes:
    """Return the absolute path for a member's name; raises EngineError for an invalid one."""
    if kind == "d":
        name = name.rstrip(b"/")
    if not name or b"\0" in name or name.endswith(b"/"):
        raise EngineError(f"The tar has a member with the invalid name {name[:100]!r}.")
    return b"/" if name == b"." else b"/" + name


def link_target(kind: str, header: Header, pax: dict[bytes, bytes]) -> bytes:
    """Return the target of a link; raises EngineError for an invalid one."""
    target = pax[b"linkpath"] if b"linkpath" in pax else header[7].rstrip(b"\0")
    if not target or b"\0" in target or len(target) > MAX_TARGET:
        raise EngineError(f"The tar has a link with the invalid target {target[:100]!r}.")
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
        raise EngineError(f"The tar has {field!r} instead of a number.")
    negative: int = (field[0] & 1) * 256 ** len(field[1:])
    return int.from_bytes(field[1:], "big", signed=False) - negative


def decimal(text: bytes) -> int:
    """Return a number of a pax header: int() alone would accept signs, blanks and underscores."""
    if not text.isdigit():
        raise EngineError(f"The tar has {text[:100]!r} instead of a number.")
    return int(text)


def nanoseconds(text: bytes) -> int:
    """Return a decimal number of seconds as nanoseconds."""
    seconds, _, fraction = text.partition(b".")
    digits = fraction if len(fraction) == 9 else fraction[:9].ljust(9, b"0")
    return within(int(seconds + digits))


def within(number: int) -> int:
    """Return the nearest number that 64 bits can hold; as nanoseconds, times end in 2262."""
    if -MAX_NUMBER <= number <= MAX_NUMBER:
        return number
    return MAX_NUMBER if number > 0 else -MAX_NUMBER


def require_plain(kind: str, header: Header, pax: dict[bytes, bytes]) -> None:
    """Raise EngineError for content in anything but a file, and for unknown sparse formats."""
    sparse = {key for key in pax if key.startswith(b"GNU.sparse.")}
    if kind != "f" and (sparse or b"size" in pax or number(header[4])):
        raise EngineError("The tar has a member with content that is not a file.")
    version = pax.get(b"GNU.sparse.major"), pax.get(b"GNU.sparse.minor")
    if sparse and (len(sparse) < 4 or version != (b"1", b"0")):
        raise EngineError("The tar has a sparse file of another version than 1.0.")


def require_known(key: bytes) -> None:
    """Raise EngineError for an unknown pax header, which another tar might obey."""
    if key not in PAX_KEYS and not key.startswith(PAX_PREFIXES):
        raise EngineError(f"The tar has an unknown pax header: {key[:100]!r}.")
