"""What differs between two backups, folder by folder."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from collections.abc import Iterator
from time import monotonic

from django.db.models import Exists, OuterRef, Q

from ....exceptions import Invalid
from ....lib import paths
from ....lib.bulk import batches
from ....models import Entry, Folder, Job
from ...history import Difference, Differences
from ...values import File
from .history import SAME
from .view import DIRECTORY, View, as_file

FOLDERS = 200  # looked at with the same queries
SECONDS = 10  # after which a page ends, with fewer differences or none
# The times and size of a folder change with its content, which is compared itself.
SAME_FOLDER = "kind mode owner group".split()


def differences(old: Job, new: Job, path: bytes, after: str, limit: int) -> Differences:
    """See ``Engine.differences``."""
    one, other = View(old), View(new)
    start, skipped = _unpacked(after)
    end = monotonic() + SECONDS
    found: list[Difference] = []
    for few in batches(_folders(one, other, paths.normal(path), start), FOLDERS):
        by_folder = _compared(one, other, few)
        for folder in few:
            skip = skipped if folder.path == start else 0
            rows = by_folder.get(folder.pk, [])[skip:]
            room = limit - len(found)
            found += rows[:room]
            if len(rows) > room:
                return Differences(found, _packed(folder.path, skip + room))
        if monotonic() > end:
            return Differences(found, _packed(few[-1].path + b"\0", 0))
    return Differences(found)


def _folders(one: View, other: View, path: bytes, start: bytes) -> Iterator[Folder]:
    """Yield the folders at or below a path in which the views can differ, by path."""
    # What both views take from the same backups is the same, but for what others hide of it.
    unshared = set(one.sources) ^ set(other.sources)
    here = Entry.objects.filter(folder=OuterRef("pk"), job__in=unshared)
    below = path.rstrip(b"/") + b"/"
    within = Q(path=path) | Q(path__gte=below, path__lt=below[:-1] + b"0")
    of_client = Folder.objects.filter(within, client=one.job.client_id, path__gte=start)
    yield from of_client.filter(Exists(here)).order_by("path").iterator(FOLDERS)


def _compared(one: View, other: View, folders: list[Folder]) -> dict[int, list[Difference]]:
    path_of = {folder.pk: folder.path for folder in folders}
    before, now = (
        {
            (entry.folder_id, bytes(entry.name)): entry
            for entry in view.at(folder__in=list(path_of)).exclude(name=b"")
        }
        for view in (one, other)
    )
    found: dict[int, list[Difference]] = {}
    for place in sorted(before.keys() | now.keys()):
        old, new = before.get(place), now.get(place)
        if old and new and _is_same(old, new):
            continue
        folder = path_of[place[0]]
        change = "changed" if old and new else "removed" if old else "added"
        files: list[File | None] = [as_file(each, folder) if each else None for each in (old, new)]
        row = Difference(paths.join(folder, place[1]), change, *files)
        found.setdefault(place[0], []).append(row)
    return found


def _is_same(old: Entry, new: Entry) -> bool:
    fields = SAME_FOLDER if new.kind == DIRECTORY else SAME
    return old.pk == new.pk or all(getattr(old, name) == getattr(new, name) for name in fields)


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
    if not start:
        raise Invalid({"after": [f"'{after}' is no place to continue from."]})
    return start, int(number)
