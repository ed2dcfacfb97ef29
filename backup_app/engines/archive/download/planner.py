"""Planning the tar of a view.

tar sets the times of a folder after its content. In a chain of backups newer content may follow,
which changes them again: such folders come last in the tar, the deepest first. And hard links may
have targets that the view no longer contains, since later backups exclude them: these are added.
"""

from collections.abc import Iterable, Iterator

from django.db.models import Max, Sum

from ....lib import paths
from ....lib.bulk import batches
from ....models import Entry, Folder, Job
from ...values import Tick
from ..catalog import extents
from ..catalog.selection import places
from ..catalog.view import DIRECTORY, View
from ..integrity import comparison
from .plan import Plan

QUICK = 20_000  # entries; planning them takes about a second, for which a request may wait


def make_plan(view: View, tick: Tick) -> Plan:
    """Return the parts of a view's tar, by job and then by their order in the volume.

    So hard links come after their targets. The tar of a full backup is its volume's, unchanged.
    """
    plan = Plan()
    if view.sources == [view.job.pk]:
        comparison.require_chain(view)
        plan.add(view.job.pk, 0, view.job.volume.tar_size)
        return plan
    comparison.require_same(view, [paths.ROOT], extents.of_view(view), tick)
    depths = outdated_folders(view)
    late: list[tuple[int, int, int, int]] = []
    for source in view.sources:
        for offset, length in lost_targets(view, source):
            plan.add(source, offset, length)
        for page in view.pages(source, "node_id", "offset", "length"):
            tick()
            for node, offset, length in page:
                if node in depths:
                    late.append((-depths[node], source, offset, length))
                else:
                    plan.add(source, offset, length)
    for _, *segment in sorted(late):
        plan.add(*segment)
    return plan


def is_quick(view: View) -> bool:
    """Return whether planning takes about a second at most."""
    if view.sources == [view.job.pk]:
        return True
    files = Job.objects.filter(pk__in=view.sources).aggregate(files=Sum("files"))["files"]
    return (files or 0) <= QUICK


def outdated_folders(view: View) -> dict[int, int]:
    """Return the depth of each folder of the view with newer content than itself, by ID.

    And of the folders above them, whose times change when such a folder is created in them.
    """
    newest: dict[int, int] = {}  # job in each folder
    for source in view.sources[1:]:
        rows = view.of_source(source).values("folder").annotate(newest=Max("job"))
        newest.update(rows.values_list("folder", "newest"))
    late: list[int] = []
    for batch in batches(newest):
        own = view.at(node__in=batch, kind=DIRECTORY).values_list("node", "job")
        late.extend(node for node, job in own if job < newest[node])
    return _with_those_above(late)


def _with_those_above(folders: Iterable[int]) -> dict[int, int]:
    depths: dict[int, int] = {}
    level = set(folders)
    while level:
        above: set[int] = set()
        for batch in batches(level):
            rows = Folder.objects.filter(pk__in=batch).values_list("pk", "parent", "path")
            for folder, parent, path in rows:
                depths[folder] = path.rstrip(b"/").count(b"/")
                if parent:
                    above.add(parent)
        level = above - depths.keys()
    return depths


def lost_targets(view: View, source: int) -> Iterator[tuple[int, int]]:
    """Yield (offset, length) in a source's tar of each hard link's target that the view lacks."""
    links = view.of_source(source).filter(kind=Entry.Kind.HARDLINK)
    for batch in batches(links.values_list("target", flat=True).distinct()):
        there = places(view, batch)
        missing = [path for path in batch if path not in there]
        for page in extents.of_tar(source, view.job.client_id, missing):
            yield from ((part.offset, part.length) for part in page)
