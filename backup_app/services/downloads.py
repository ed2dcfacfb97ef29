"""Downloads: the whole view of a backup as one plain tar, read in chunks."""

import logging
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from tempfile import SpooledTemporaryFile
from typing import IO
from weakref import WeakSet

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from ..conf import conf
from ..engines import get_engine
from ..exceptions import BackupError, EngineError, InvalidEngine, NotFound
from ..lib.formatting import storable
from ..lib.hashing import BackgroundHash
from ..lib.log_context import about_job
from ..lib.tasks import task
from ..models import Download, Job

State = Download.State
IN_MEMORY = 16 * 1024 * 1024  # bytes of a chunk; larger ones go to a temporary file
AT_ONCE = 4  # chunks in memory; so do the others, since slow clients take long for theirs
BLOCK = 256 * 1024
UNEXPECTED = "The download could not be prepared. The server's log says why."
PULSE_SECONDS = 30  # far less than BACKUP_JOB_LOST_SECONDS
HOLD_SECONDS = 3600  # far less than DOWNLOADED_WITHIN
_files: WeakSet[IO[bytes]] = WeakSet()  # of the chunks that are being read or sent
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Content:
    """A part that was read, of ``size`` bytes; ``blocks`` may be called once."""

    size: int
    sha256: str
    file: IO[bytes]

    def blocks(self, start: int, stop: int) -> Iterator[bytes]:
        """Yield the bytes from start to stop, then close the file."""
        with self.file as file:
            file.seek(start)
            while block := file.read(min(BLOCK, stop - file.tell())):
                yield block


def prepared(job: Job) -> Download:
    """Return the download of a good backup, and prepare it if that was not done yet.

    That is done at once if it is quick, otherwise by the worker, with the state "preparing" until
    then. Raises EngineError if it failed; the next call tries again. The backup is held (``hold``).
    """
    hold(job)
    # The plan may be large, and only reading a chunk needs it.
    rows = Download.objects.defer("plan")
    try:
        with transaction.atomic():
            found, is_new = rows.get_or_create(job=job)
    except IntegrityError as e:
        raise _removed(job) from e
    if is_new:
        _prepare(job, found.pk)
    elif found.state == State.PREPARING:
        _repeat_if_lost(found)
    return _unless_failed(job, rows.filter(pk=found.pk).first() if is_new else found)


def hold(job: Job) -> None:
    """Keep a backup that is downloaded from being pruned, for a day from now."""
    Job.objects.filter(pk=job.pk).update(downloaded=timezone.now())


def held(job: Job, blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the blocks of a download, and hold the backup while somebody takes them."""
    since = time.monotonic()
    for block in blocks:
        yield block
        if time.monotonic() - since >= HOLD_SECONDS:
            hold(job)
            since = time.monotonic()


def _unless_failed(job: Job, download: Download | None) -> Download:
    if download is None:  # another request saw that it failed, and deleted it
        raise _removed(job)
    if download.state == State.FAILED:
        download.delete()
        raise EngineError(f"The download of job {job.pk} failed: {download.message}")
    return download


def file_name(job: Job) -> str:
    """Return a name for the tar of a backup that is valid on any system."""
    client = re.sub(r"[^\w.-]+", "_", job.client.name).strip("._") or "client"
    return f"{client}-job-{job.pk}.tar"


def chunk_size() -> int:
    """Return the size of all chunks but the last, in bytes."""
    return int(conf.CHUNK_BYTES)


def chunks(download: Download) -> int:
    """Return the number of chunks of a download that is ready."""
    return -(-download.size // chunk_size())


def extent(download: Download, number: int) -> range:
    """Return the bytes of the file that are in a chunk, counted from 0; raises NotFound."""
    start = number * chunk_size()
    if start >= download.size:
        raise NotFound(
            f"Job {download.job_id} has no chunk {number}: there are {chunks(download)}, from 0."
        )
    return range(start, min(start + chunk_size(), download.size))


def read(job: Job, download: Download, part: range) -> Content:
    """Read a part of the file, in constant memory; raises EngineError if it is damaged."""
    file = SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 - the answer closes it
    if len(_files) >= AT_ONCE:
        file.rollover()
    _files.add(file)
    engine = get_engine(job.engine)
    with BackgroundHash() as digest, engine.open_download(job, _plan(job, download)) as ranges:
        for block in ranges.read(part.start, len(part)):
            digest.update(block)
            file.write(block)
        if file.tell() != len(part):
            end = part.start + file.tell()
            raise EngineError(f"The download of job {job.pk} ends too early, at byte {end}.")
        return Content(len(part), digest.digest().hex(), file)


def stream(job: Job, download: Download) -> Iterator[bytes]:
    """Yield the whole file, chunk by chunk; raises EngineError where it is damaged."""
    return held(job, _all(job, download))


def _all(job: Job, download: Download) -> Iterator[bytes]:
    for number in range(chunks(download)):
        content = read(job, download, extent(download, number))
        yield from content.blocks(0, content.size)


def _plan(job: Job, download: Download) -> bytes:
    plan = Download.objects.filter(pk=download.pk).values_list("plan", flat=True).first()
    if plan is None:
        raise _removed(job)
    return bytes(plan)


def _removed(job: Job) -> NotFound:
    return NotFound(f"The download of job {job.pk} has just been removed. Request it again.")


def _prepare(job: Job, download_id: int) -> None:
    if get_engine(job.engine).may_be_slow_to_plan(job):
        transaction.on_commit(partial(prepare_download.enqueue, download_id))
    else:
        prepare(download_id)


def _repeat_if_lost(download: Download) -> None:
    """Queue the preparation again if its worker seems to have died."""
    now = timezone.now()
    lost = Download.objects.filter(
        pk=download.pk,
        state=State.PREPARING,
        created__lt=now - timedelta(seconds=conf.JOB_LOST_SECONDS),
    )
    if lost.update(created=now):
        transaction.on_commit(partial(prepare_download.enqueue, download.pk))


@task()
def prepare_download(download_id: int) -> None:
    """Run ``prepare`` in a worker."""
    prepare(download_id)


def prepare(download_id: int) -> None:
    """Plan a download; store the plan, or a sentence that says why it failed. May be repeated."""
    downloads = Download.objects.filter(pk=download_id, state=State.PREPARING)
    if not (download := downloads.select_related("job__storage").first()):
        return
    job = download.job
    try:
        with about_job(job.pk):
            size, plan = get_engine(job.engine).plan_download(job, Pulse(downloads))
    except (BackupError, InvalidEngine) as e:
        downloads.update(state=State.FAILED, message=storable(str(e))[:1000])
    except Exception:
        logger.exception("The download of job %s could not be prepared.", job.pk)
        downloads.update(state=State.FAILED, message=UNEXPECTED)
    else:
        downloads.update(state=State.READY, size=size, plan=plan, message="")


class Pulse:
    """Renews the time of a download while it is prepared, or it would be queued again."""

    def __init__(self, downloads: QuerySet[Download]) -> None:
        self._downloads, self._given = downloads, time.monotonic()

    def __call__(self) -> None:
        if time.monotonic() - self._given >= PULSE_SECONDS:
            self._downloads.update(created=timezone.now())
            self._given = time.monotonic()


def tidy() -> int:
    """Let each engine remove expired files of downloads; return how many."""
    return sum(_tidy_in(alias) for alias in conf.engines)


def _tidy_in(alias: str) -> int:
    try:
        return get_engine(alias).tidy_downloads()
    except InvalidEngine:
        return 0  # a system check reports it
