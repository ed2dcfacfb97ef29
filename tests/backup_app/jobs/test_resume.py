"""Jobs that go on in their engine while no worker is at them."""

import datetime as dt

import pytest
from django.utils import timezone

from backup_app.engines.values import Outcome
from backup_app.exceptions import EngineOffline, EngineUnreachable, Unfinished
from backup_app.jobs import control, execute, reap, resume, states
from backup_app.jobs.adoption import watch
from backup_app.jobs.worker_id import this_worker
from backup_app.models import Job, Mailbox

from ..services.files.test_mailboxes import entry
from ..support.factories import JobFactory
from ..support.folder_engine import FolderEngine

pytestmark = pytest.mark.django_db


class Elsewhere(FolderEngine):
    """Its jobs take as many looks as a test says; it remembers which it was asked to discard."""

    resumes = True
    looks = 2
    is_away = False
    has_ended = False
    discarded: list[int] = []

    def backup(self, run):
        if self.is_away:
            raise EngineOffline
        seen = run.job.engine_state.get("looks", 0) + 1
        run.job.engine_state = {"looks": seen}
        run.job.save(update_fields=["engine_state"])
        run.info(f"Look {seen}.")
        run.tick(seen, 10 * seen)
        if seen < self.looks:
            raise Unfinished
        return Outcome(files=seen, bytes=10 * seen)

    def ended(self, jobs):
        if self.is_away:
            raise EngineUnreachable("Nobody answers.")
        return [job.pk for job in jobs] if self.has_ended else []

    def discard(self, job):
        self.discarded.append(job.pk)

    def discard_left(self):
        raise EngineUnreachable("Nobody answers.")


@pytest.fixture(autouse=True)
def engine(settings, monkeypatch):
    settings.BACKUP_ENGINES = {
        "default": {"BACKEND": f"{__name__}.Elsewhere"},
        "other": {"BACKEND": "tests.backup_app.support.folder_engine.FolderEngine"},
    }
    monkeypatch.setattr(Elsewhere, "discarded", [])
    monkeypatch.setattr(resume, "EVERY", dt.timedelta())
    return Elsewhere


def begun(**fields):
    """Return a job whose backup has begun."""
    job = JobFactory(**fields)
    execute.run(job.pk)
    job.refresh_from_db()
    return job


def lines(job):
    return [line.message for line in job.log.all()]


def test_an_unfinished_job_has_no_worker_until_it_is_resumed():
    job = begun()

    assert (job.status, job.worker, job.files_done, job.ended) == ("running", "", 1, None)
    assert lines(job) == [f"The backup of client '{job.client}' begins.", "Look 1."]


def test_a_job_is_resumed_until_it_ends(engine, monkeypatch):
    monkeypatch.setattr(engine, "looks", 3)
    job = begun()
    entry(job, b"/ann@example.org.pst")

    assert [resume.resume_all() for _ in range(3)] == [1, 1, 0]

    job.refresh_from_db()
    assert (job.status, job.files, job.bytes) == ("completed", 3, 30)
    assert lines(job)[1:4] == ["Look 1.", "Look 2.", "Look 3."]
    assert engine.discarded == []
    assert Mailbox.objects.get().mailbox == "ann@example.org"


def test_resuming_a_job_has_a_time_limit(monkeypatch):
    monkeypatch.setattr(resume, "EVERY", dt.timedelta(minutes=1))
    begun()

    assert resume.resume_all() == 0


def test_a_job_that_has_ended_is_resumed_at_once(engine, monkeypatch):
    monkeypatch.setattr(resume, "EVERY", dt.timedelta(minutes=1))
    follower = resume.Follower()
    job = begun()

    follower.look()
    job.refresh_from_db()
    assert job.is_open

    monkeypatch.setattr(engine, "has_ended", True)
    follower.look()
    job.refresh_from_db()
    assert job.status == "completed"


def test_a_job_that_is_followed_is_polled_as_well():
    job = begun()

    resume.Follower().look()

    job.refresh_from_db()
    assert job.status == "completed"


def test_jobs_are_looked_for_rarely_while_there_are_none(
    monkeypatch, engine, django_assert_num_queries
):
    monkeypatch.setattr(resume, "IDLE", 60)
    follower = resume.Follower()
    follower.look()
    with django_assert_num_queries(0):
        follower.look()

    monkeypatch.setattr(engine, "has_ended", True)
    job = begun()  # by this process, which therefore looks at once
    follower.look()

    job.refresh_from_db()
    assert job.status == "completed"


def test_an_engine_that_is_away_is_asked_rarely(monkeypatch, engine, django_assert_num_queries):
    monkeypatch.setattr(resume, "IDLE", 60)
    follower = resume.Follower()
    job = begun()
    monkeypatch.setattr(engine, "is_away", True)
    follower.look()

    with django_assert_num_queries(0):
        follower.look()
    job.refresh_from_db()
    assert job.is_open


def test_a_canceling_job_ends_when_it_is_resumed(engine):
    job = begun()
    control.cancel(job, "ann")

    resume.resume_all()

    job.refresh_from_db()
    assert job.status == "canceled"
    assert engine.discarded == [job.pk]


def test_the_job_of_a_dead_worker_is_resumed():
    job = begun()
    Job.objects.filter(pk=job.pk).update(
        worker="elsewhere:1:1", seen=timezone.now() - dt.timedelta(hours=1)
    )

    assert reap.reap() == 0
    resume.resume_all()

    job.refresh_from_db()
    assert job.status == "completed"


def test_a_job_is_resumed_by_one_worker_only():
    job = begun()
    assert states.resume(job.pk, "elsewhere:1:1")

    assert execute.resume(job.pk)
    assert resume.resume_all() == 0

    job.refresh_from_db()
    assert (job.worker, job.engine_state) == ("elsewhere:1:1", {"looks": 1})


def test_a_worker_that_lost_its_job_discards_nothing(engine, monkeypatch):
    def lost(self, run):
        Job.objects.filter(pk=run.job.pk).update(worker="elsewhere:1:1")
        raise EngineUnreachable("Nobody answers.")

    job = begun()
    monkeypatch.setattr(engine, "backup", lost)

    execute.resume(job.pk)

    job.refresh_from_db()
    assert (job.status, engine.discarded) == ("running", [])


def test_jobs_wait_while_their_engine_is_unreachable(engine, monkeypatch):
    for _ in range(2):
        begun()
    monkeypatch.setattr(engine, "is_away", True)

    assert resume.resume_all() == 0

    assert {job.status for job in Job.objects.all()} == {"running"}
    monkeypatch.setattr(engine, "is_away", False)
    assert resume.resume_all() == 2
    assert {job.status for job in Job.objects.all()} == {"completed"}


def test_jobs_of_other_engines_are_left_alone():
    JobFactory(engine="other", status="running", seen=timezone.now())

    assert resume.resume_all() == 0


def test_lines_that_were_written_before_count(monkeypatch):
    monkeypatch.setattr("backup_app.jobs.job_run.MAX_LINES", 2)
    job = begun()

    resume.resume_all()

    assert "Look 2." not in lines(job)


def test_a_process_that_resumes_is_known_by_its_name():
    job = begun()

    assert states.resume(job.pk, this_worker("resuming"))
    assert reap.reap() == 0


def test_an_engine_that_cannot_list_its_jobs_is_logged_once(caplog):
    for _ in range(2):
        assert watch.adopt_jobs() == 0

    (record,) = caplog.records
    assert record.getMessage() == ("The engine 'default' could not list its jobs: Nobody answers.")
