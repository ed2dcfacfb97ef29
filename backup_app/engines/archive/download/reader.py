"""Downloads: the tar of a view, of which any part can be read and nothing is ever written."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

from django.db.models import Sum

from ....exceptions import EngineError
from ....models import Job, Volume
from .. import paths, recorded
from ..catalog import extents
from ..catalog.view import View
from ..storage.layout import volume_path
from ..storage.volume import VolumeReader
from .latecomers import latecomers
from .plan import Plan
from .targets import lost_targets

QUICK = 20_000  # entries whose plan is made while a request waits
BLOCK = 256 * 1024  # what a reader gets at once, at least
MEMORY = 64 * 1024 * 1024  # of frames that are kept by all open volumes


def make_plan(view: View, tick: Callable[[], None]) -> Plan:
    """Return where each part of a view's tar comes from, by job, then by its place in the volume.

    So hard links come after what they are links to, which is put in even if the view has it no
    longer: without it they could not be unpacked. A view of one backup is its volume as it is.
    """
    plan = Plan()
    if view.sources == [view.job.pk]:
        recorded.require_chain(view)
        plan.add(view.job.pk, 0, view.job.volume.tar_size)
        return plan
    recorded.require_same(view, [paths.ROOT], extents.of_view(view), tick)
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


class Download:
    """Reads any part of a planned tar; keeps few volumes open, and a frame of each in memory."""

    def __init__(self, plan: Plan, frame_bytes: int):
        self._plan = plan
        self._most = max(2, MEMORY // frame_bytes)
        self._files = volume_files(plan.sources)
        self._open: OrderedDict[int, VolumeReader] = OrderedDict()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        with ExitStack() as stack:
            for reader in self._open.values():
                stack.push(reader)

    def read(self, offset: int, length: int) -> Iterator[bytes]:
        """Yield a range in blocks, without what lies behind the end; raises EngineError."""
        length = max(0, min(length, self._plan.size - offset))
        return in_blocks(self._pieces(offset, length))

    def _pieces(self, offset, length):
        end = offset + length
        for source, start, size in self._plan.parts(offset, length):
            yield from self._volume(source).read(start, size)
            offset += size
        while offset < end:
            size = min(BLOCK, end - offset)
            yield bytes(size)
            offset += size

    def _volume(self, source: int) -> VolumeReader:
        if source not in self._open:
            if len(self._open) >= self._most:
                _, oldest = self._open.popitem(last=False)
                oldest.__exit__(None, None, None)
            self._open[source] = VolumeReader(self._files[source])
        self._open.move_to_end(source)
        return self._open[source]


def volume_files(job_ids: Iterable[int]) -> dict[int, Path]:
    """Return the volume file of each job.

    Raises EngineError for one that has none, and for a storage that is not there.
    """
    wanted = list(job_ids)
    volumes = Volume.objects.filter(job__in=wanted).select_related("job__storage")
    found = {volume.job_id: volume_path(volume) for volume in volumes}
    for job_id in wanted:
        if job_id not in found:
            raise EngineError(f"Backup {job_id} has no volume.")
    return found


def in_blocks(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Join small pieces, so that thousands of small files are not as many writes."""
    waiting: list[bytes] = []
    size = 0
    for piece in pieces:
        waiting.append(piece)
        size += len(piece)
        if size >= BLOCK:
            yield b"".join(waiting)
            waiting, size = [], 0
    if waiting:
        yield b"".join(waiting)
