"""Formatting of numbers and times, and of text from elsewhere."""

from datetime import datetime

from django.utils import timezone
from rich.filesize import decimal

# A file name must not send escape sequences to the terminal on which the log is read.
CONTROLS = dict.fromkeys((*range(9), *range(11, 32), *range(127, 160)), "�")


def counted(number: int, what: str, many: str = "") -> str:
    """Return a number with its noun: ``1 job``, ``2 jobs``."""
    return f"{number} {what if number == 1 else many or what + 's'}"


def size(number: int) -> str:
    """Return a number of bytes with a decimal unit: ``1.5 kB``."""
    return decimal(number)


def format_time(value: datetime | None) -> str | None:
    """Return a time as ``Y-m-d H:i:s`` in the server's zone; None for None."""
    return None if value is None else _local(value.astimezone(timezone.get_current_timezone()))


def format_timestamp(seconds: int) -> str | None:
    """Return seconds since 1970 as ``format_time`` does; None outside the years 1 to 9999."""
    try:
        return _local(datetime.fromtimestamp(seconds, tz=timezone.get_current_timezone()))
    except (ValueError, OverflowError, OSError):
        return None


def _local(time: datetime) -> str:
    # Faster than strftime, which matters in long lists; the offset is cut off.
    return time.isoformat(" ", "seconds")[:19]


def storable(message: str) -> str:
    """Return text that every database and terminal accepts.

    Control characters other than tabs and line breaks, and lone surrogates, are replaced.
    """
    return message.encode(errors="replace").decode().translate(CONTROLS)
