from datetime import timedelta

import pytest
from django.test import override_settings
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from backup_app.jobs import tasks
from backup_app.models import Job, Mailbox

from ..services.files.test_mailboxes import entry
from ..support.factories import JobFactory
from ..support.folder_engine import folder_engine

pytestmark = pytest.mark.django_db


class TestWaitingJobs:
    def waiting(self):
        tasks.enqueue_waiting()
        return [task.args_kwargs["args"] for task in DBTaskResult.objects.all()]

    def test_a_job_without_a_task_gets_one_once(self):
        job = JobFactory(seen=None)

        assert self.waiting() == [[job.pk]]
        assert self.waiting() == [[job.pk]]

    def test_a_job_whose_task_seems_lost_gets_another(self):
        job = JobFactory(seen=timezone.now() - tasks.LOST_TASK - timedelta(seconds=1))
        JobFactory(seen=timezone.now())
        JobFactory(seen=None, status="canceled")

        assert self.waiting() == [[job.pk]]

    def test_a_job_that_another_worker_has_just_noted_gets_none(self, monkeypatch):
        JobFactory.create_batch(2, seen=None)
        enqueued = []

        def enqueue(job_id):
            enqueued.append(job_id)
            Job.objects.update(seen=timezone.now())

        monkeypatch.setattr(tasks, "enqueue", enqueue)
        tasks.enqueue_waiting()

        assert len(enqueued) == 1


def test_mailboxes_of_a_backup_are_noted():
    job = JobFactory(status="completed")
    entry(job, b"/ann@example.org.pst")

    with folder_engine():
        tasks.run_job.call(job.pk)

    assert Mailbox.objects.get().mailbox == "ann@example.org"


def test_a_backup_is_good_without_its_mailboxes(caplog):
    job = JobFactory(status="completed")
    entry(job, b"/ann@example.org.pst")

    with override_settings(BACKUP_MAILBOX_PATTERNS="("):
        tasks.run_job.call(job.pk)

    job.refresh_from_db()
    assert job.status == "completed"
    assert [record.getMessage() for record in caplog.records] == [
        f"The mailboxes of job {job.pk} could not be recorded."
    ]
