from datetime import timedelta

import pytest
from django.utils import timezone

from backup_app.jobs import reap, tasks
from backup_app.jobs.worker_id import this_worker
from backup_app.models import Entry, Job

from ..services.files.test_mailboxes import entry
from ..support.factories import JobFactory
from ..support.folder_engine import folder_engine

pytestmark = pytest.mark.django_db
ENDED = "The worker of this job ended before the job was done."


@pytest.fixture(autouse=True)
def engine():
    with folder_engine():
        yield


def at_work(worker, age=0, **fields):
    now = timezone.now()
    values = {"status": "running", "started": now, "seen": now - timedelta(seconds=age)}
    return JobFactory(worker=worker, **(values | fields))


def test_a_job_of_a_dead_process_fails(dead, tmp_path):
    job = at_work(dead, errors=1)
    job.storage.path = str(tmp_path)
    job.storage.save()
    (tmp_path / "work" / f"job-{job.pk}").mkdir(parents=True)
    entry(job, b"/half")

    assert reap.reap() == 1

    job.refresh_from_db()
    assert (job.status, job.message, job.errors) == ("failed", ENDED, 2)
    assert job.ended >= job.started
    assert [line.message for line in job.log.all()] == [ENDED]
    assert list((tmp_path / "work").iterdir()) == []
    assert not Entry.objects.exists()


def test_a_canceling_job_of_a_dead_process_is_canceled(dead):
    job = at_work(dead, status="canceling")

    reap.reap()

    job.refresh_from_db()
    assert (job.status, job.message) == ("canceled", f"The job was canceled. {ENDED}")


def test_a_job_of_another_host_fails_without_sign_of_life():
    job = at_work("elsewhere:1:1", age=301)

    reap.reap()

    job.refresh_from_db()
    assert (job.status, job.message) == ("failed", "This job had no heartbeat for 300 seconds.")


def test_living_jobs_are_left_alone():
    at_work(this_worker(), age=200)
    at_work("elsewhere:1:1", age=200)
    at_work("", age=9999)
    JobFactory()

    assert reap.reap() == 0
    assert Job.objects.filter(status="failed").count() == 0


def test_a_task_that_is_begun_again_fails_its_job(dead):
    job = at_work(dead)

    tasks.run_job.call(job.pk)

    job.refresh_from_db()
    assert (job.status, job.message) == ("failed", ENDED)


def test_a_second_task_leaves_a_living_job_alone():
    job = at_work(this_worker())

    tasks.run_job.call(job.pk)

    job.refresh_from_db()
    assert job.status == "running"


def test_a_task_of_a_job_that_was_removed_does_nothing():
    tasks.run_job.call(0)
