"""How numbers of things and of bytes are said."""

from rich.filesize import decimal


def counted(number: int, what: str, many: str = "") -> str:
    """Return a number of things: ``1 job``, ``2 jobs``."""
    return f"{number} {what if number == 1 else many or what + 's'}"


def size(number: int) -> str:
    """Return a number of bytes in the unit that fits."""
    return decimal(number)
