"""What differs between two backups, folder by folder."""

from collections.abc import Iterable, Iterator, Mapping
from heapq import merge
from itertools import groupby

from django.db.models import Exists, OuterRef, Q

from ....lib import paths
from ....models import Entry, Folder, Job
from ...history import Difference, Differences
from ...shared.difference_pages import FOLDERS, Compared, change_of, page_of
from ...values import File
from .history import SAME
from .view import DIRECTORY, View, as_file

ENTRIES = 1000  # of each backup in memory: a folder may have a million
# The times and size of a folder change with its content, which is compared itself.
SAME_FOLDER = "kind mode owner group".split()


def differences(old: Job, new: Job, path: bytes, after: str, limit: int) -> Differences:
    """See ``Engine.differences``."""
    one, other = View(old), View(new)
    within = paths.normal(path)
    return page_of(
        after,
        limit,
        lambda start: _folders(one, other, within, start),
        lambda few: _compared(one, other, few),
    )


def _folders(one: View, other: View, path: bytes, start: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield ID and path of the folders from a path down in which the views can differ."""
    # What both views take from the same backups is the same, but for what others hide of it.
    unshared = set(one.sources) ^ set(other.sources)
    here = Entry.objects.filter(folder=OuterRef("pk"), job__in=unshared)
    below = path.rstrip(b"/") + b"/"
    within = Q(path=path) | Q(path__gte=below, path__lt=below[:-1] + b"0")
    of_client = Folder.objects.filter(within, client=one.job.client_id, path__gte=start)
    for folder in of_client.filter(Exists(here)).order_by("path").iterator(FOLDERS):
        yield folder.pk, bytes(folder.path)


def _compared(one: View, other: View, path_of: Mapping[int, bytes]) -> Compared:
    sides = (_entries(view, path_of, side) for side, view in enumerate((one, other)))
    for (folder_id, name), rows in groupby(merge(*sides, key=_place), key=_place):
        both = dict(rows)
        old, new = both.get(0), both.get(1)
        if old and new and _is_same(old, new):
            continue
        folder = path_of[folder_id]
        files: list[File | None] = [as_file(each, folder) if each else None for each in (old, new)]
        yield folder_id, Difference(paths.join(folder, name), change_of(old, new), *files)


def _entries(view: View, folders: Iterable[int], side: int) -> Iterator[tuple[int, Entry]]:
    """Yield what a view has directly in folders, by place, a few entries at a time."""
    found = view.at(folder__in=list(folders)).exclude(name=b"").order_by("folder_id", "name")
    for entry in found.iterator(ENTRIES):
        yield side, entry


def _place(row: tuple[int, Entry]) -> tuple[int, bytes]:
    return row[1].folder_id, bytes(row[1].name)


def _is_same(old: Entry, new: Entry) -> bool:
    fields = SAME_FOLDER if new.kind == DIRECTORY else SAME
    return old.pk == new.pk or all(getattr(old, name) == getattr(new, name) for name in fields)
