"""Numbers of bytes as people write them, in decimal units as disks are sold, or in binary ones."""

import re

DECIMAL = {"PB": 10**15, "TB": 10**12, "GB": 10**9, "MB": 10**6, "kB": 10**3}
BINARY = {"PiB": 2**50, "TiB": 2**40, "GiB": 2**30, "MiB": 2**20, "KiB": 2**10}
UNITS = {name.lower(): size for name, size in (DECIMAL | BINARY).items()} | {
    "": 1,
    "b": 1,
    "bytes": 1,
}
SIZE = re.compile(r"(\d{1,19})(?:\.(\d{1,9}))?\s*([a-z]*)", re.ASCII | re.IGNORECASE)
LARGEST = 2**63 - 1


def parse(text: str) -> int:
    """Return the bytes of ``500 GB``, ``1.5 TiB`` or ``1000``; raises ValueError."""
    found = SIZE.fullmatch(text.strip())
    unit = UNITS.get(found[3].lower()) if found else None
    if not found or unit is None:
        raise ValueError(f"'{text}' is not a size, such as 500 GB, 1.5 TiB or a number of bytes.")
    decimals = found[2] or ""
    size: int = int(found[1] + decimals) * unit // 10 ** len(decimals)
    if size > LARGEST:
        raise ValueError(f"'{text}' is more than {LARGEST} bytes.")
    return size


def exact(size: int) -> str:
    """Return bytes as a text from which ``parse`` makes the same number: ``500 GB``."""
    for name, unit in (DECIMAL | BINARY).items():
        number, rest = divmod(size, unit)
        thousandths, rest = divmod(rest * 1000, unit)
        if 1 <= number < 1000 and not rest:
            return f"{number}.{thousandths:03}".rstrip("0").rstrip(".") + f" {name}"
    return str(size)
