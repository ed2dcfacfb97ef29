"""Making downloads ready, and removing what was made for them."""

import logging
import time

from django.utils import timezone

from ..conf import conf
from ..engines import get_engine
from ..exceptions import BackupError, InvalidEngine
from ..jobs.job_run import storable
from ..jobs.log_context import about_job
from ..models import Download

UNEXPECTED = "The download could not be prepared, for a reason that the server's log tells."
PULSE_SECONDS = 30
State = Download.State
logger = logging.getLogger(__name__)


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
