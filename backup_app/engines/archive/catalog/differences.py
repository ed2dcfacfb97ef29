"""What differs between two backups, folder by folder."""

from collections.abc import Iterator, Mapping

from django.db.models import Exists, OuterRef, Q

from ....lib import paths
from ....models import Entry, Folder, Job
from ...history import Difference, Differences
from ...shared.difference_pages import FOLDERS, Compared, change_of, page_of
from ...values import File
from .history import SAME
from .view import DIRECTORY, View, as_file

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
        files: list[File | None] = [as_file(each, folder) if each else None for each in (old, new)]
        row = Difference(paths.join(folder, place[1]), change_of(old, new), *files)
        found.setdefault(place[0], []).append(row)
    return found


def _is_same(old: Entry, new: Entry) -> bool:
    fields = SAME_FOLDER if new.kind == DIRECTORY else SAME
    return old.pk == new.pk or all(getattr(old, name) == getattr(new, name) for name in fields)
