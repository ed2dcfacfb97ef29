"""Formatting of numbers, and of text from elsewhere."""

from rich.filesize import decimal

# A file name must not send commands to the terminal on which somebody reads the log.
CONTROLS = dict.fromkeys((*range(9), *range(11, 32), *range(127, 160)), "�")


def counted(number: int, what: str, many: str = "") -> str:
    """Return a number with its noun: ``1 job``, ``2 jobs``."""
    return f"{number} {what if number == 1 else many or what + 's'}"


def size(number: int) -> str:
    """Return a number of bytes with a decimal unit: ``1.5 kB``."""
    return decimal(number)


def storable(message: str) -> str:
    """Return text that every database and terminal accepts.

    Control characters other than tabs and line breaks, and lone surrogates, are replaced.
    """
    return message.encode(errors="replace").decode().translate(CONTROLS)
