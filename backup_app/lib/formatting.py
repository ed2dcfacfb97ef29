"""How numbers and foreign text are shown."""

from rich.filesize import decimal

# Whoever reads the log on a terminal is not to have it turned upside down by a file's name.
CONTROLS = dict.fromkeys((*range(9), *range(11, 32), *range(127, 160)), "�")


def counted(number: int, what: str, many: str = "") -> str:
    """Return a number of things: ``1 job``, ``2 jobs``."""
    return f"{number} {what if number == 1 else many or what + 's'}"


def size(number: int) -> str:
    """Return a number of bytes in the unit that fits."""
    return decimal(number)


def storable(message: str) -> str:
    """Return a text as every database and terminal can take it.

    Without control characters but tabs and line breaks, and without halves of surrogate pairs.
    """
    return message.encode(errors="replace").decode().translate(CONTROLS)
