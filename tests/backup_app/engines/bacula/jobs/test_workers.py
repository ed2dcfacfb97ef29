"""Bacula goes on with a backup whose worker is killed, and makes it once.

As ``test_kill.py`` does, each test kills a real process at a random moment; KILLS says how often.
"""

import os
import random
import time

import pytest

from backup_app.jobs import control, periodic, resume
from backup_app.models import Job
from tests.support import waiting

from ....support.machine.processes import manage, wait_for

pytestmark = pytest.mark.django_db(transaction=True)
SEEDS = range(int(os.environ.get("KILLS", "2")))
WORKER = "worker --no-startup-delay --interval=0.05".split()
LONGEST = 0.5  # seconds that a worker takes to begin a backup, about


@pytest.fixture(autouse=True)
def without_waiting(monkeypatch):
    """Let this process look after jobs whenever it is asked to."""
    monkeypatch.setattr(resume, "EVERY", resume.EVERY * 0)


def look_after(job):
    def ended():
        periodic.tick()
        job.refresh_from_db()
        return job.status not in ("queued", "running")

    waiting.wait_for(ended)


def begun_in_bacula(bacula, job):
    comment = f"comment = '{bacula.prefix}job {job.pk}'"
    return [int(row[0]) for row in bacula.query(f"SELECT jobid FROM job WHERE {comment}")]  # noqa: S608


@pytest.mark.parametrize("seed", SEEDS)
def test_a_backup_whose_worker_is_killed_is_made_once(bacula, bacula_client, own, tmp_path, seed):
    job = control.start_backup(bacula_client(own), level="Full", by="test")

    with manage(tmp_path, *WORKER) as worker:
        wait_for(lambda: not Job.objects.filter(pk=job.pk, status="queued").exists(), worker)
        time.sleep(random.Random(seed).uniform(0, LONGEST))  # noqa: S311 - to be repeated
        worker.kill()
    look_after(job)

    assert job.status == "completed", job.message
    assert begun_in_bacula(bacula, job) == [job.engine_job_id]
    assert job.files == 3


def test_a_worker_makes_a_backup_from_beginning_to_end(bacula, bacula_client, own, tmp_path):
    job = control.start_backup(bacula_client(own), level="Full", by="test")

    with manage(tmp_path, *WORKER) as worker:
        ended = Job.objects.filter(pk=job.pk, ended__isnull=False)
        wait_for(ended.exists, worker)

    assert ended.get().status == "completed", ended.get().message
