"""HTTP's ``Range``: a part of something whose size is known."""

import re

from ..exceptions import RangeOutside

ONE_RANGE = re.compile(r"bytes=(?:([0-9]{1,18})-([0-9]{0,18})|-([0-9]{1,18}))", re.ASCII)


def requested(header: str, size: int) -> tuple[int, int] | None:
    """Return (start, stop) of what a ``Range`` header asks for; None for all of it.

    A header that is malformed or asks for several ranges counts as none, as HTTP has it. Raises
    RangeOutside when there is nothing in the range.
    """
    match = ONE_RANGE.fullmatch(header.strip())
    if match is None:
        return None
    first, last, suffix = match.groups()
    if suffix is not None:
        start, stop = max(0, size - int(suffix)), size
    else:
        start, stop = int(first), int(last) + 1 if last else size
        if last and stop <= start:
            return None
    if start >= size:
        raise RangeOutside(size)
    return start, min(stop, size)
