import datetime as dt
from pathlib import Path

import pytest
from django.db import IntegrityError
from django.test import override_settings
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from backup_app.engines.values import Outcome, Selection
from backup_app.exceptions import EngineError
from backup_app.jobs import control, execute, states, tasks
from backup_app.jobs import job_run as run
from backup_app.jobs.worker_id import this_worker
from backup_app.models import Entry, Job, Volume

from ..support.factories import ClientFactory, JobFactory
from ..support.folder_engine import FolderEngine, folder_engine

pytestmark = pytest.mark.django_db
ENGINE = f"{__name__}.Engine"


class Engine(FolderEngine):
    """Does in a backup what a test says."""

    does = staticmethod(lambda run: Outcome())

    def backup(self, run):
        return type(self).does(run)


@pytest.fixture
def doing(monkeypatch):
    """Return a function that runs a backup which does what it is given, and the job then."""

    def do(does, **fields):
        monkeypatch.setattr(Engine, "does", staticmethod(does))
        monkeypatch.setattr(run, "EVERY", 0)
        job = JobFactory(**fields)
        with override_settings(BACKUP_ENGINES={"default": {"BACKEND": ENGINE}}):
            execute.run(job.pk)
        job.refresh_from_db()
        return job

    return do


@pytest.fixture
def machine(tmp_path):
    """A client with two files, and a folder to keep its backups in."""
    (tmp_path / "client").mkdir()
    (tmp_path / "client" / "a.txt").write_text("first")
    (tmp_path / "client" / "b.txt").write_text("second")
    client = ClientFactory(fileset__include=[{"path": str(tmp_path / "client")}])
    client.pool.storage.path = str(tmp_path / "storage")
    client.pool.storage.save()
    with folder_engine():
        yield client


def back_up(client, **options):
    job = control.start_backup(client, by="ann", **options)
    execute.run(job.pk)
    job.refresh_from_db()
    return job


def lines(job):
    return [(line.level, line.message) for line in job.log.all()]


class TestBackup:
    def test_it_ends_as_completed_with_its_totals(self, doing):
        def does(run):
            run.tick(2, 50)
            return Outcome(files=3, bytes=70, stored_bytes=30, message="All well.")

        job = doing(does)

        message = "All well. 3 files, 70 bytes; 30 bytes stored."
        assert (job.status, job.message, job.errors) == ("completed", message, 0)
        assert (job.files, job.bytes, job.stored_bytes) == (3, 70, 30)
        assert (job.files_done, job.bytes_done) == (3, 70)
        assert job.worker == this_worker()
        assert job.created <= job.started <= job.ended
        assert lines(job) == [
            ("info", f"The backup of client '{job.client}' begins."),
            ("info", message),
        ]

    @pytest.mark.parametrize("error", [None, EngineError("The disk is full.")])
    def test_it_ran_when_the_engine_says_it_did(self, doing, error):
        times = [timezone.now() - dt.timedelta(hours=hours) for hours in (3, 2, 1)]

        def does(run):
            run.info("It was long ago.", times[1])
            run.ran(times[0], times[2])
            if error:
                raise error
            return Outcome()

        job = doing(does)

        assert (job.started, job.ended) == (times[0], times[2])
        assert [line.time for line in job.log.all()][1:] == times[1:]

    def test_warnings_are_counted_and_make_the_status(self, doing):
        def does(run):
            run.warning("'/a' changed while it was read.")
            run.error("'/b' could not be read.")
            return Outcome()

        job = doing(does)

        assert (job.status, job.errors) == ("warnings", 2)
        assert lines(job)[1:] == [
            ("warning", "'/a' changed while it was read."),
            ("error", "'/b' could not be read."),
            ("info", "0 files, 0 bytes; 0 bytes stored, with 2 warnings."),
        ]

    def test_the_warnings_of_an_outcome_make_the_status(self, doing):
        job = doing(lambda run: Outcome(warnings=1))

        assert (job.status, job.errors) == ("warnings", 1)

    def test_an_engine_error_becomes_the_message(self, machine):
        machine.fileset.include = [{"path": "/nonexistent"}]
        machine.fileset.save()

        job = back_up(machine)

        sentence = f"There is no folder '/nonexistent' on client '{machine}'."
        assert (job.status, job.message, job.errors) == ("failed", sentence, 1)
        assert lines(job)[-1] == ("error", sentence)

    def test_an_os_error_names_the_path(self, doing, caplog):
        job = doing(lambda run: Path("/nonexistent/volume").stat())

        assert (job.status, job.message) == (
            "failed",
            "'/nonexistent/volume': No such file or directory.",
        )
        assert caplog.records[1].exc_info[0] is FileNotFoundError

    def test_an_unexpected_exception_appears_only_in_the_server_log(self, doing, caplog):
        job = doing(lambda run: 1 / 0)

        assert (job.status, job.message) == ("failed", execute.UNEXPECTED)
        assert caplog.records[1].exc_info[0] is ZeroDivisionError

    def test_totals_that_cannot_be_stored_fail_the_job(self, doing, caplog):
        job = doing(lambda run: Outcome(files=-1))

        assert (job.status, job.message) == ("failed", execute.UNEXPECTED)
        assert caplog.records[1].exc_info[0] is IntegrityError

    def test_an_undeclared_engine_fails_the_job_with_a_message(self):
        job = JobFactory(engine="gone")

        execute.run(job.pk)

        job.refresh_from_db()
        assert (job.status, job.message) == ("failed", "BACKUP_ENGINES['gone'] is missing 'gone'.")

    def test_nothing_is_left_of_a_backup_that_failed(self, machine, tmp_path, monkeypatch):
        def fails(self, run, path, place, *, catalog=True):
            copy(self, run, path, place)
            raise OSError(28, "No space left on device", str(place))

        copy = FolderEngine._copy
        monkeypatch.setattr(FolderEngine, "_copy", fails)

        job = back_up(machine)

        assert job.status == "failed"
        assert job.message.endswith("/1': No space left on device.")
        assert list((tmp_path / "storage" / "work").iterdir()) == []
        assert (Entry.objects.count(), Volume.objects.count(), job.sources.count()) == (0, 0, 0)

    def test_characters_that_no_database_stores_are_replaced(self, doing):
        job = doing(lambda run: run.info("a\0b\udcffc") or Outcome())

        assert lines(job)[1] == ("info", "a\N{REPLACEMENT CHARACTER}b?c")

    def test_a_deleted_fileset_fails_the_job_with_a_message(self, doing):
        job = doing(lambda run: Outcome(), client=ClientFactory(), fileset=None)

        assert (job.status, job.message) == (
            "failed",
            "The fileset of this backup was deleted before it began.",
        )

    def test_a_deleted_client_fails_the_job_with_a_message(self, doing):
        client = ClientFactory(name="db1", deleted=timezone.now())

        job = doing(lambda run: Outcome(), client=client)

        assert job.message == "Client 'db1' was deleted before the backup began."

    def test_a_good_backup_is_not_discarded(self, machine):
        job = back_up(machine)

        assert execute.discard(job)
        assert Volume.objects.filter(job=job).exists()

    def test_a_level_that_the_engine_changed_is_kept(self, machine):
        job = back_up(machine)

        assert (job.status, job.level, job.files) == ("completed", "Full", 2)
        assert ("info", "There is no full backup yet, so this one is full.") in lines(job)

    def test_a_verification_follows_when_the_fileset_says_so(
        self, machine, django_capture_on_commit_callbacks
    ):
        machine.fileset.verify = True
        machine.fileset.save()
        backup = control.start_backup(machine, by="ann")

        tasks.run_job.call(backup.pk)

        (verification,) = Job.objects.filter(type="verify")
        assert (verification.status, verification.parent) == ("queued", backup)
        tasks.run_job.call(verification.pk)
        verification.refresh_from_db()
        assert (verification.status, verification.files) == ("completed", 2)


class TestCancel:
    def test_a_running_job_ends_at_its_next_tick(self, doing):
        def does(run):
            control.cancel(run.job, "ann")
            run.tick()
            pytest.fail("the tick should have raised Canceled")

        job = doing(does)

        assert (job.status, job.message, job.errors) == ("canceled", "The job was canceled.", 0)

    def test_a_job_that_ends_before_noticing_the_cancellation_is_canceled(self, doing):
        def does(run):
            control.cancel(run.job, "ann")
            run.info("All is read.")
            return Outcome(files=1)

        job = doing(does)

        assert (job.status, job.files) == ("canceled", 0)
        assert [message for _, message in lines(job)][-2:] == [
            "All is read.",
            "The job was canceled.",
        ]

    def test_a_canceled_job_does_not_start(self, doing):
        job = doing(lambda run: pytest.fail("it was begun"), status="canceled")

        assert job.status == "canceled"


class TestOneJobAClient:
    def test_another_waits_until_the_first_has_ended(self):
        first = JobFactory(status="running", type="restore", level=None)
        second = JobFactory(client=first.client)

        with pytest.raises(states.ClientBusy):
            execute.run(second.pk)

        second.refresh_from_db()
        assert second.status == "queued"

    def test_its_task_comes_back_a_few_seconds_later(self):
        first = JobFactory(status="running", type="restore", level=None)
        second = JobFactory(client=first.client)

        tasks.run_job.call(second.pk)

        (task,) = DBTaskResult.objects.all()
        assert task.args_kwargs["args"] == [second.pk, 1]
        assert task.run_after > second.created

    def test_the_one_that_waited_longest_is_next_when_the_client_is_free(self, machine):
        job = control.start_backup(machine, by="ann")
        has_task = {"type": "restore", "level": None, "seen": timezone.now()}
        waiting = [JobFactory(client=machine, **has_task) for _ in range(2)]
        JobFactory(**has_task)
        DBTaskResult.objects.all().delete()

        tasks.run_job.call(job.pk)

        (task,) = DBTaskResult.objects.all()
        assert task.task_path == "backup_app.jobs.tasks.run_next_job"
        assert task.args_kwargs["args"] == [waiting[0].pk]

    def test_one_that_was_next_leaves_a_client_that_is_busy_again(self):
        first = JobFactory(status="running", type="restore", level=None)
        second = JobFactory(client=first.client)

        tasks.run_next_job.call(second.pk)

        second.refresh_from_db()
        assert second.status == "queued"
        assert not DBTaskResult.objects.exists()

    def test_other_clients_do_not_wait(self, doing):
        JobFactory(status="running")

        assert doing(lambda run: Outcome()).status == "completed"


class TestTick:
    @pytest.fixture
    def at_work(self):
        job = JobFactory()
        states.begin(job.pk, "me")
        return run.JobRun(job, "me")

    def test_it_writes_at_most_once_a_second(self, at_work, django_assert_num_queries):
        with django_assert_num_queries(0):
            for number in range(1000):
                at_work.tick(number, number)

    def test_it_writes_the_progress_and_the_log(self, at_work, monkeypatch):
        monkeypatch.setattr(run, "EVERY", 0)
        before = Job.objects.get().seen
        at_work.expect(10)
        at_work.info("Half of it is done.")

        at_work.tick(1, 5)

        job = Job.objects.get()
        assert (job.files_done, job.bytes_done, job.bytes_expected) == (1, 5, 10)
        assert job.seen > before
        assert lines(job) == [("info", "Half of it is done.")]

    def test_many_lines_are_written_at_once(self, at_work):
        for number in range(run.MAX_PENDING + 1):
            at_work.info(str(number))

        assert Job.objects.get().log.count() == run.MAX_PENDING

    def test_endless_warnings_do_not_fill_the_log(self, at_work, monkeypatch):
        monkeypatch.setattr(run, "MAX_LINES", 10)
        for _ in range(1000):
            at_work.warning("x" * 10_000)

        at_work.end("error", "It failed.")
        at_work.flush()

        found = lines(Job.objects.get())
        assert found[:10] == [("warning", "x" * 5_000)] * 10
        assert found[10:] == [("info", "990 more lines were omitted."), ("error", "It failed.")]
        assert at_work.errors == 1001

    def test_control_characters_are_replaced_in_log_lines(self, at_work):
        at_work.warning("'/a\x1b[2J\x9b1m\x07\r\0b': two\nlines\tand a tab")
        at_work.flush()

        assert lines(Job.objects.get()) == [
            ("warning", "'/a\ufffd[2J\ufffd1m\ufffd\ufffd\ufffdb': two\nlines\tand a tab")
        ]

    def test_a_job_that_another_worker_has_taken_over_ends(self, at_work, monkeypatch):
        monkeypatch.setattr(run, "EVERY", 0)
        states.take_over(Job.objects.get(), "another")

        with pytest.raises(run.Canceled):
            at_work.tick()


class TestRestore:
    def test_it_brings_back_what_was_selected(self, machine, tmp_path):
        backup = back_up(machine)
        path = str(tmp_path / "client" / "a.txt").encode()
        selection = FolderEngine().select_paths(backup, [path])
        where = tmp_path / "restored"

        job = control.start_restore(backup, machine, selection, path=str(where).encode(), by="ann")
        execute.run(job.pk)

        job.refresh_from_db()
        assert (job.status, job.files) == ("completed", 1)
        assert where.joinpath(path.decode().lstrip("/")).read_text() == "first"

    def test_a_removed_backup_fails_the_restore_with_a_message(self, machine):
        backup = back_up(machine)
        job = control.start_restore(backup, machine, Selection(files=[(1, b"/x")]), by="ann")
        FolderEngine().remove(backup)

        execute.run(job.pk)

        job.refresh_from_db()
        assert (job.status, job.message) == (
            "failed",
            "The backup of this restore was removed before it began.",
        )
