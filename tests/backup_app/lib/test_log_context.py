"""What a project's log says of jobs."""

import logging

import pytest

from backup_app.engines.archive import ArchiveEngine
from backup_app.jobs.tasks import run_job
from backup_app.lib.log_context import job_id
from backup_app.models import Job

from ..support.factories import JobFactory
from ..support.local_backups import local_client, local_roots

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def lines():
    """The lines of the log, each with the job that it is about."""
    lines = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append((job_id.get(), record.getMessage()))
    logging.getLogger("backup_app").addHandler(handler)
    yield lines
    logging.getLogger("backup_app").removeHandler(handler)


@pytest.fixture
def client(tmp_path):
    with local_roots(tmp_path):
        yield local_client(tmp_path)


def test_the_lines_of_a_job_are_about_it(lines, client):
    job = JobFactory(client=client)

    run_job.call(job.pk)

    job.refresh_from_db()
    assert job.is_good
    assert lines == [
        (job.pk, f"Job {job.pk} begins: a backup of client '{client}'."),
        (job.pk, f"Job {job.pk} has ended: {job.message}"),
    ]
    assert job_id.get() is None


def test_so_are_those_of_one_that_fails(lines, client, monkeypatch):
    monkeypatch.setattr(ArchiveEngine, "backup", None)
    job = JobFactory(client=client)

    run_job.call(job.pk)

    job.refresh_from_db()
    assert job.status == Job.Status.FAILED
    assert {about for about, _ in lines} == {job.pk}
    assert lines[1:] == [
        (job.pk, f"Job {job.pk} failed."),
        (job.pk, f"Job {job.pk} has ended: {job.message}"),
    ]
