"""Planning the tar of a view: the order of its parts, and what it has besides.

A tar gives a folder its times when it leaves the folder. In a chain something newer comes after
that, and changes them again. So these folders come last, the deepest first. And hard links can lead
to what a view has no longer: it was left out of the backup since.
"""

from collections.abc import Callable, Iterable, Iterator

from django.db.models import Max, Sum

from ....lib.bulk import batches
from ....models import Entry, Folder, Job
from .. import paths
from ..catalog import extents
from ..catalog.selection import places
from ..catalog.view import DIRECTORY, View
from ..integrity import comparison
from .plan import Plan

QUICK = 20_000  # entries whose plan is made while a request waits


def make_plan(view: View, tick: Callable[[], None]) -> Plan:
    """Return where each part of a view's tar comes from, by job, then by its place in the volume.

    So hard links come after what they are links to, which is put in even if the view has it no
    longer: without it they could not be unpacked. A view of one backup is its volume as it is.
    """
    plan = Plan()
    if view.sources == [view.job.pk]:
        comparison.require_chain(view)
        plan.add(view.job.pk, 0, view.job.volume.tar_size)
        return plan
    comparison.require_same(view, [paths.ROOT], extents.of_view(view), tick)
    depths = latecomers(view)
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
    """Say whether a plan is made within a second or so."""
    if view.sources == [view.job.pk]:
        return True
    files = Job.objects.filter(pk__in=view.sources).aggregate(files=Sum("files"))["files"]
    return (files or 0) <= QUICK


def latecomers(view: View) -> dict[int, int]:
    """Return ID and depth of each folder of the view that holds something newer than it is.

    And of those above them: such a folder is made in them when something in it is unpacked.
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
    wanted = set(folders)
    while wanted:
        above = set()
        for batch in batches(wanted):
            rows = Folder.objects.filter(pk__in=batch).values_list("pk", "parent", "path")
            for folder, parent, path in rows:
                depths[folder] = path.rstrip(b"/").count(b"/")
                above.add(parent)
        wanted = above - depths.keys() - {None}
    return depths


def lost_targets(view: View, source: int) -> Iterator[tuple[int, int]]:
    """Yield place and length in a source's tar of each target that the view has not."""
    links = view.of_source(source).filter(kind=Entry.Kind.HARDLINK)
    for batch in batches(links.values_list("target", flat=True).distinct()):
        there = places(view, batch)
        missing = [path for path in batch if path not in there]
        for page in extents.of_tar(source, view.job.client_id, missing):
            yield from ((part.offset, part.length) for part in page)
