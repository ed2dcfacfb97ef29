"""Pages of what differs between two backups, folder by folder, in a time that people wait."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from time import monotonic

from ...exceptions import Invalid
from ...lib.bulk import batches
from ..history import Difference, Differences

FOLDERS = 200  # compared with the same queries
NEXT = b"\1"  # after a path: what begins with the smallest byte that a path can have
SECONDS = 10  # after which a page ends, with fewer differences or none
Compared = Iterator[tuple[int, Difference]]  # by the ID of the folder


def page_of(
    after: str,
    limit: int,
    folders: Callable[[bytes], Iterable[tuple[int, bytes]]],
    compare: Callable[[Mapping[int, bytes]], Compared],
) -> Differences:
    """Return the page that continues at ``after``.

    ``folders`` returns (ID, path) of the folders in which backups can differ, by path, from a path
    on; ``compare`` yields what differs directly in some of them, in each always in the same order.
    A folder may hold millions of differences: no more of them are kept than the page can show.
    """
    start, skipped = _unpacked(after)
    end = monotonic() + SECONDS
    found: list[Difference] = []
    for few in batches(folders(start), FOLDERS):
        first = next((folder_id for folder_id, path in few if path == start), None)
        by_folder = _kept(compare(dict(few)), {first: skipped}, limit - len(found) + 1)
        for folder_id, path in few:
            skip = skipped if folder_id == first else 0
            rows = by_folder.get(folder_id, [])
            room = limit - len(found)
            found += rows[:room]
            if len(rows) > room:
                return Differences(found, _packed(path, skip + room))
        if monotonic() > end:
            return Differences(found, _packed(few[-1][1] + NEXT, 0))
    return Differences(found)


def _kept(
    rows: Compared, skips: dict[int | None, int], most: int
) -> Mapping[int, list[Difference]]:
    """Return the first differences of each folder after those to skip."""
    kept: dict[int, list[Difference]] = defaultdict(list)
    for folder_id, row in rows:
        if skips.get(folder_id):
            skips[folder_id] -= 1
        elif len(kept[folder_id]) < most:
            kept[folder_id].append(row)
    return kept


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
