"""Making downloads ready."""

import logging

from .engines import get_engine
from .exceptions import BackupError, InvalidEngine
from .models import Download
from .run import storable

UNEXPECTED = "The download could not be prepared, for a reason that the server's log tells."
State = Download.State
logger = logging.getLogger(__name__)


def prepare(download_id: int):
    """Plan a download and store the plan, or in a sentence why there is none. May be repeated."""
    downloads = Download.objects.filter(pk=download_id, state=State.PREPARING)
    if not (download := downloads.select_related("job__storage").first()):
        return
    job = download.job
    try:
        size, plan = get_engine(job.engine).plan_download(job)
    except (BackupError, InvalidEngine) as e:
        downloads.update(state=State.FAILED, message=storable(str(e))[:1000])
    except Exception:
        logger.exception("The download of job %s could not be prepared.", job.pk)
        downloads.update(state=State.FAILED, message=UNEXPECTED)
    else:
        downloads.update(state=State.READY, size=size, plan=plan, message="")
