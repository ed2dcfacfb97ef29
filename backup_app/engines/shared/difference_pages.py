"""Pages of what differs between two backups, folder by folder, in a time that people wait."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from collections.abc import Callable, Iterable, Mapping
from time import monotonic

from ...exceptions import Invalid
from ...lib.bulk import batches
from ..history import Difference, Differences

FOLDERS = 200  # compared with the same queries
NEXT = b"\1"  # after a path: what begins with the smallest byte that a path can have
SECONDS = 10  # after which a page ends, with fewer differences or none
Compared = Mapping[int, list[Difference]]


def page_of(
    after: str,
    limit: int,
    folders: Callable[[bytes], Iterable[tuple[int, bytes]]],
    compare: Callable[[Mapping[int, bytes]], Compared],
) -> Differences:
    """Return the page that continues at ``after``.

    ``folders`` returns (ID, path) of the folders in which backups can differ, by path, from a path
    on; ``compare`` what differs directly in some of them, always in the same order.
    """
    start, skipped = _unpacked(after)
    end = monotonic() + SECONDS
    found: list[Difference] = []
    for few in batches(folders(start), FOLDERS):
        by_folder = compare(dict(few))
        for folder_id, path in few:
            skip = skipped if path == start else 0
            rows = by_folder.get(folder_id, [])[skip:]
            room = limit - len(found)
            found += rows[:room]
            if len(rows) > room:
                return Differences(found, _packed(path, skip + room))
        if monotonic() > end:
            return Differences(found, _packed(few[-1][1] + NEXT, 0))
    return Differences(found)


def change_of(old: object, new: object) -> str:
    """Return the word for a difference, of which one side may be None."""
    return "changed" if old and new else "removed" if old else "added"


def _packed(path: bytes, skipped: int) -> str:
    return f"{skipped}.{urlsafe_b64encode(path).decode()}"


def _unpacked(after: str) -> tuple[bytes, int]:
    if not after:
        return b"", 0
    number, _, path = after.partition(".")
    is_number = number.isascii() and number.isdecimal() and len(number) < 10
    try:
        start = urlsafe_b64decode(path.encode()) if is_number else b""
    except (ValueError, NotBase64):
        start = b""
    if not start or b"\0" in start:
        raise Invalid({"after": [f"'{after}' is no place to continue from."]})
    return start, int(number)
