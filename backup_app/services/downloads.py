"""Downloads: all that a backup holds as one plain tar, read in chunks."""

import logging
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from hashlib import sha256
from tempfile import SpooledTemporaryFile
from typing import IO

from django.db import IntegrityError, transaction
from django.utils import timezone

from ..conf import conf
from ..engines import get_engine
from ..exceptions import BackupError, EngineError, InvalidEngine, NotFound
from ..lib.formatting import storable
from ..lib.log_context import about_job
from ..lib.tasks import task
from ..models import Download

State = Download.State
IN_MEMORY = 1024 * 1024  # of a chunk; what is more goes into a file
BLOCK = 256 * 1024
UNEXPECTED = "The download could not be prepared, for a reason that the server's log tells."
PULSE_SECONDS = 30
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Content:
    """A chunk that was read; ``blocks`` may be called once."""

    size: int
    sha256: str
    file: IO[bytes]

    def blocks(self, start: int, stop: int) -> Iterator[bytes]:
        """Yield a part of it, then let go of it."""
        with self.file as file:
            file.seek(start)
            while block := file.read(min(BLOCK, stop - file.tell())):
                yield block


def prepared(job) -> Download:
    """Return the download of a good backup, which is made ready unless it is so already.

    At once where that is quick, else by the worker: then it is "preparing". Raises EngineError
    for what could not be prepared; the next call tries again.
    """
    # The plan may be large; what reads a chunk fetches it.
    rows = Download.objects.defer("plan")
    try:
        with transaction.atomic():
            download, is_new = rows.get_or_create(job=job)
    except IntegrityError as e:
        raise _removed(job) from e
    if is_new:
        _prepare(job, download.pk)
        # Another request may have seen that it failed, and have deleted it.
        download = rows.filter(pk=download.pk).first()
        if download is None:
            raise _removed(job)
    elif download.state == State.PREPARING:
        _repeat_if_lost(download)
    if download.state == State.FAILED:
        download.delete()
        raise EngineError(f"The download of job {job.pk} failed: {download.message}")
    return download


def file_name(job) -> str:
    """Return what the tar of a backup is to be called, on any system."""
    client = re.sub(r"[^\w.-]+", "_", job.client.name).strip("._") or "client"
    return f"{client}-job-{job.pk}.tar"


def chunk_size() -> int:
    """Return the size of all chunks but the last, in bytes."""
    return conf.CHUNK_BYTES


def chunks(download: Download) -> int:
    """Return the number of chunks of a download that is ready."""
    return -(-download.size // chunk_size())


def extent(download: Download, number: int) -> range:
    """Return where a chunk lies in the file, the first being 0; raises NotFound."""
    start = number * chunk_size()
    if start >= download.size:
        raise NotFound(
            f"There is no chunk {number} of job {download.job_id}: it has {chunks(download)}."
        )
    return range(start, min(start + chunk_size(), download.size))


def read(job, download: Download, part: range) -> Content:
    """Read a part of the file, in constant memory; raises EngineError if it is damaged."""
    file = SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 - the answer closes it
    digest = sha256()
    with get_engine(job.engine).open_download(job, _plan(job, download)) as ranges:
        for block in ranges.read(part.start, len(part)):
            digest.update(block)
            file.write(block)
    if file.tell() != len(part):
        raise EngineError(f"The download of job {job.pk} ends at {part.start + file.tell()}.")
    return Content(len(part), digest.hexdigest(), file)


def _plan(job, download):
    plan = Download.objects.filter(pk=download.pk).values_list("plan", flat=True).first()
    if plan is None:
        raise _removed(job)
    return bytes(plan)


def _removed(job):
    return NotFound(f"The download of job {job.pk} has just been removed. Ask for it again.")


def _prepare(job, download_id):
    if get_engine(job.engine).may_be_slow_to_plan(job):
        transaction.on_commit(partial(prepare_download.enqueue, download_id))
    else:
        prepare(download_id)


def _repeat_if_lost(download):
    """Ask the worker again for what it has not done for long: it may have died."""
    now = timezone.now()
    lost = Download.objects.filter(
        pk=download.pk,
        state=State.PREPARING,
        created__lt=now - timedelta(seconds=conf.JOB_LOST_SECONDS),
    )
    if lost.update(created=now):
        transaction.on_commit(partial(prepare_download.enqueue, download.pk))


@task()
def prepare_download(download_id: int):
    """Make a download ready."""
    prepare(download_id)


def prepare(download_id: int):
    """Plan a download and store the plan, or in a sentence why there is none. May be repeated."""
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
    """Gives a sign of life of a preparation, so that nobody takes it for lost; cheap to call."""

    def __init__(self, downloads):
        self._downloads, self._given = downloads, time.monotonic()

    def __call__(self):
        if time.monotonic() - self._given >= PULSE_SECONDS:
            self._downloads.update(created=timezone.now())
            self._given = time.monotonic()


def tidy() -> int:
    """Let each engine remove what nobody wants any more; return how many that were."""
    return sum(_tidy_in(alias) for alias in conf.engines)


def _tidy_in(alias):
    try:
        return get_engine(alias).tidy_downloads()
    except InvalidEngine:
        return 0  # the system checks tell
