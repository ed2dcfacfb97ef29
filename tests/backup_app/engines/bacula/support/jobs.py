"""Jobs of this service that a test's Bacula does."""

import contextlib
import os
from pathlib import Path

from backup_app.jobs import control, execute
from backup_app.models import Job
from backup_app.models.job import ACTIVE
from tests.support.waiting import wait_for

# That anything may take. Bacula 15 sometimes ends a job two minutes after it has said why it fails.
SECONDS = 180
_huge: list[Path] = []


def look(job) -> Job:
    """Look once after a job, which begins it if it is queued, and return it as it is then."""
    if job.status == Job.Status.QUEUED:
        execute.run(job.pk)
    else:
        execute.resume(job.pk)
    return Job.objects.get(pk=job.pk)


def finish(job, seconds=SECONDS) -> Job:
    """Look after a job until it has ended."""

    def ended():
        nonlocal job
        job = look(job)
        return job.status not in ACTIVE

    wait_for(ended, seconds)
    return job


def look_until(job, condition, seconds=SECONDS) -> Job:
    """Look after a job until something is so of it, and it still runs."""

    def is_so():
        nonlocal job
        job = look(job)
        assert job.status in ACTIVE, log_of(job)
        return condition(job)

    wait_for(is_so, seconds)
    return job


def start(client, level="Full") -> Job:
    """Ask for a backup, which nobody has looked after yet."""
    return control.start_backup(client, level=level, by="test")


def back_up(client, level="Full", status="completed") -> Job:
    job = finish(start(client, level))
    assert (job.status, log_of(job)) == (status, log_of(job))
    return job


def log_of(job) -> list[str]:
    return [f"{line.level}: {line.message}" for line in job.log.all()]


def log_text(job) -> str:
    return "\n".join(log_of(job))


def status_of(bacula, job) -> str:
    """Return the letter that Bacula has for a job, "" when it does not know it."""
    query = f"SELECT jobstatus FROM job WHERE jobid = {job.engine_job_id}"  # noqa: S608
    return "".join(letter for (letter,) in bacula.query(query))


def fill_slowly(folder):
    """Put something into a folder that a backup has to do with until it is canceled."""
    huge = folder / "huge"
    with huge.open("wb") as file:
        file.write(os.urandom(1_000_000))  # nothing else of it is stored
        file.truncate(100_000_000_000)
    _huge.append(huge)


def end_reading() -> None:
    """Let file daemons come to the end of what was filled slowly: canceled, they read on."""
    while _huge:
        with contextlib.suppress(FileNotFoundError):
            os.truncate(_huge.pop(), 0)


def runs(job) -> bool:
    """Say whether a job's client has begun to be read."""
    return job.bytes_done > 0
