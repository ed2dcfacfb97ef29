"""What differs between two backups, folder by folder."""

from collections.abc import Iterator, Mapping

from ....lib.paths import ROOT, normal
from ....models import Job
from ...history import Difference, Differences
from ...shared.difference_pages import NEXT, Compared, change_of, page_of
from ..catalog import finding, paths
from ..catalog.lstat import DIRECTORY
from ..names import Bacula
from .history import Place, Row
from .view import View

MOST = 20_000  # folders that a page may be found in


def differences(
    engine: Bacula, old: Job, new: Job, path: bytes, after: str, limit: int
) -> Differences:
    """See ``Engine.differences``."""
    both = View(engine, old), View(engine, new)
    within = normal(path)
    return page_of(
        after,
        limit,
        lambda start: _folders(*both, within, start),
        lambda few: _compared(*both, few),
    )


def _folders(one: View, other: View, path: bytes, start: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield ID and path, as stored, of the folders from a path down in which views can differ."""
    # What both take from the same jobs is the same, but for what others hide of it.
    unshared = list({*one.chain} ^ {*other.chain})
    below = [b""] if path == ROOT else list(paths.stored(path))
    values = {"unshared": unshared, "below": below, "most": MOST}
    while rows := one.rows(finding.CHANGED, **values, start=start):
        for path_id, stored in rows:
            yield path_id, bytes(stored)
        start = bytes(rows[-1][1]) + NEXT


def _compared(one: View, other: View, folders: Mapping[int, bytes]) -> Compared:
    before, now = (_content(view, folders) for view in (one, other))
    for place in sorted(before.keys() | now.keys()):
        old, new = before.get(place), now.get(place)
        if old and new and _is_same(old, new):
            continue
        path_id, name = place
        folder = folders[path_id]
        path = paths.join(folder, name) if name else paths.of_folder(folder)
        files = [
            each.as_file(path, path_id if name else 0) if each else None for each in (old, new)
        ]
        yield path_id, Difference(path, change_of(old, new), *files)


def _content(view: View, folders: Mapping[int, bytes]) -> dict[Place, Row]:
    rows = view.rows(finding.content, within=list(folders))
    found = {}
    for path_id, name, file_id, *row in rows:
        place = path_id, bytes(name)
        found[place] = Row(place, file_id, 1, *row)
    return found


def _is_same(old: Row, new: Row) -> bool:
    if old.status.type == new.status.type == DIRECTORY:
        # The time of a folder changes with its content, which is compared itself.
        return old.status._replace(mtime=0) == new.status._replace(mtime=0)
    return old.is_same(new)
