"""Downloads: the tar of a view, of which any part can be read and nothing is ever written."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from heapq import merge
from pathlib import Path

from django.db.models import Sum

from ...exceptions import EngineError
from ...models import Job, Volume
from . import paths
from .plans import Plan
from .view import View
from .volumes import VolumeReader

QUICK = 20_000  # entries whose plan is made while a request waits
TICK = 1000  # entries between two signs of life
BLOCK = 256 * 1024  # what a reader gets at once, at least
MEMORY = 64 * 1024 * 1024  # of frames that are kept by all open volumes


def make_plan(view: View, tick: Callable[[], None]) -> Plan:
    """Return where each part of a view's tar comes from.

    A view of one backup is its volume as it is. In others each folder stands before what is in it
    and after nothing of another, so that any tar gives a folder its times when it is complete.
    """
    plan = Plan()
    if view.sources == [view.job.pk]:
        plan.add(view.job.pk, 0, view.job.volume.tar_size)
        return plan
    for number, (_, source, offset, length) in enumerate(_members(view)):
        plan.add(source, offset, length)
        if number % TICK == 0:
            tick()
    return plan


def is_quick(view: View) -> bool:
    """Say whether a plan is made within a second or so."""
    if view.sources == [view.job.pk]:
        return True
    files = Job.objects.filter(pk__in=view.sources).aggregate(files=Sum("files"))["files"]
    return (files or 0) <= QUICK


def _members(view: View) -> Iterator[tuple[bytes, int, int, int]]:
    # Each volume is in this order already, so that no more than a row of each is in memory.
    return merge(*(_of_source(view, source) for source in view.sources))


def _of_source(view: View, source: int) -> Iterator[tuple[bytes, int, int, int]]:
    rows = view.of_source(source).order_by("pk")
    fields = "folder__path", "name", "offset", "length"
    for folder, name, offset, length in rows.values_list(*fields).iterator(chunk_size=TICK):
        yield paths.order(paths.join(folder, name)), source, offset, length


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
    """Return the volume file of each job; raises EngineError for one that has none."""
    wanted = list(job_ids)
    volumes = Volume.objects.filter(job__in=wanted).select_related("job__storage")
    found = {volume.job_id: Path(volume.job.storage.path) / volume.path for volume in volumes}
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
