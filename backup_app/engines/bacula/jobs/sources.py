"""The sources of a backup: our records of the jobs that Bacula combines in its view."""

import logging
from collections.abc import Mapping, Sequence

from django.db import transaction

from ....exceptions import EngineError, EngineUnreachable
from ....models import Job, JobSource
from ...values import Run
from ..director.director import Director
from ..names import Bacula

logger = logging.getLogger(__name__)


def note_base(job: Job) -> None:
    """Record what a starting backup will build on, so that it is not removed meanwhile."""
    good = Job.objects.backups().good().filter(engine=job.engine, engine_job_id__isnull=False)
    good = good.filter(client=job.client, fileset=job.fileset)
    if job.level == Job.Level.DIFFERENTIAL:
        good = good.filter(level=Job.Level.FULL)
    is_full = job.level == Job.Level.FULL
    job.parent = None if is_full else good.order_by("-engine_job_id").first()
    job.save(update_fields=["parent"])


def link(engine: Bacula, director: Director, run: Run) -> None:
    """Set the sources of a backup that has ended, and have Bacula prepare its folders.

    Raises EngineError if it builds on one of Bacula's jobs that is not known here.
    """
    job = run.job
    numbers = _chain(director, job)
    sources = _jobs(job, numbers)
    if missing := [number for number in numbers if number not in sources]:
        run.adopt(missing)
        sources = _jobs(job, numbers)
        _require_known(job, missing, sources)
    _prepare_folders(director, job, numbers)
    with transaction.atomic():
        JobSource.objects.filter(job=job).delete()
        links = [JobSource(job=job, source=sources[number]) for number in numbers]
        JobSource.objects.bulk_create(links)
        job.parent = sources[numbers[-2]] if len(numbers) > 1 else None
        job.save(update_fields=["parent"])


def _prepare_folders(director: Director, job: Job, numbers: Sequence[int]) -> None:
    try:
        director.update_cache(numbers)
    except EngineUnreachable:
        raise
    except EngineError as e:
        # The backup is good nevertheless, and the first request to browse it prepares the folders.
        logger.warning("The folders of job %s could not be prepared yet: %s", job.pk, e)


def job_ids(job: Job) -> list[int]:
    """Return Bacula's numbers of the sources of a backup, oldest first."""
    numbers = job.sources.order_by("engine_job_id").values_list("engine_job_id", flat=True)
    return [number for number in numbers if number is not None]


def _chain(director: Director, job: Job) -> list[int]:
    own = job.engine_job_id or 0
    if job.level == Job.Level.FULL:
        return [own]
    # The Director's chain lacks a job that began in the second in which the one before it ended.
    before = [number for number in director.chain(own) if number != own]
    return [*before, own]


def _jobs(job: Job, numbers: Sequence[int]) -> dict[int | None, Job]:
    found = Job.objects.filter(engine=job.engine, engine_job_id__in=numbers)
    return {each.engine_job_id: each for each in found}


def _require_known(job: Job, missing: Sequence[int], sources: Mapping[int | None, Job]) -> None:
    if unknown := [number for number in missing if number not in sources]:
        raise EngineError(
            f"Job {job.engine_job_id} of Bacula builds on its job {unknown[0]}, which is not known"
            f" here: run sync_bacula for client '{job.client}' first."
        )
