import threading
from datetime import timedelta

import pytest
from django.db import OperationalError
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from backup_app.conf import conf
from backup_app.jobs import heartbeat, periodic
from backup_app.lib.tasks import default_task_backend
from backup_app.models import Worker
from tests.support.waiting import wait_for

from ..support.factories import JobFactory
from ..support.machine.processes import manage

DUMMY = "django_tasks.backends.dummy.DummyBackend"
LOST = timedelta(seconds=conf.JOB_LOST_SECONDS)


def silent_for(age, name="dead"):
    worker = Worker.objects.create(name=name, process="there:1:1")
    Worker.objects.filter(pk=name).update(seen=timezone.now() - age)
    return worker


def running_task(*workers, path="backup_app.jobs.tasks.run_job", args=()):
    return DBTaskResult.objects.create(
        status="RUNNING",
        args_kwargs={"args": args, "kwargs": {}},
        task_path=path,
        backend_name="default",
        queue_name="backups",
        worker_ids=list(workers),
    )


@pytest.mark.django_db
class TestBeat:
    def test_a_worker_that_beats_is_alive(self):
        heartbeat.beat("one")
        heartbeat.beat("two")

        assert {worker.name for worker in Worker.objects.alive()} == {"one", "two"}

    def test_a_beat_renews_the_sign_of_life(self):
        silent_for(timedelta(minutes=1), "one")

        heartbeat.beat("one")

        assert Worker.objects.alive().exists()

    def test_the_tasks_of_a_dead_worker_are_put_back(self):
        silent_for(LOST + timedelta(seconds=5))
        task = running_task("dead")

        heartbeat.beat("one")

        task.refresh_from_db()
        assert task.status == "READY"
        assert [worker.name for worker in Worker.objects.all()] == ["one"]

    def test_the_tasks_of_other_workers_are_left_alone(self):
        silent_for(LOST + timedelta(seconds=5))
        silent_for(timedelta(minutes=1), "slow")
        tasks = [running_task("slow"), running_task("dead", "slow"), running_task("unknown")]

        heartbeat.beat("one")

        assert {DBTaskResult.objects.get(pk=task.pk).status for task in tasks} == {"RUNNING"}

    def test_a_task_that_killed_three_workers_fails(self):
        silent_for(LOST + timedelta(seconds=5))
        task = running_task("first", "second", "dead")

        heartbeat.beat("one")

        task.refresh_from_db()
        assert task.status == "FAILED"
        assert "Its worker died in each of 3 attempts." in task.traceback

    def test_a_worker_that_beats_after_all_keeps_its_tasks(self):
        silent = silent_for(LOST + timedelta(seconds=5))
        task = running_task("dead")
        heartbeat.beat("dead")

        heartbeat.take_over(silent, "")

        task.refresh_from_db()
        assert task.status == "RUNNING"
        assert Worker.objects.exists()

    def test_a_worker_whose_process_is_gone_is_dead_at_once(self, dead):
        Worker.objects.create(name="dead", process=dead)
        task = running_task("dead")

        heartbeat.beat("one")

        task.refresh_from_db()
        assert task.status == "READY"

    def test_tasks_of_other_apps_are_put_back_where_the_project_says_so(self):
        task = running_task("dead", path="calendar_app.services.images.fetch_image")
        for tasks, status in (("backup_app.", "RUNNING"), ("", "READY")):
            silent_for(LOST + timedelta(seconds=5))

            heartbeat.beat("one", tasks)

            task.refresh_from_db()
            assert task.status == status


@pytest.fixture
def no_periodic_work(monkeypatch):
    monkeypatch.setattr(periodic, "tick", lambda: None)


@pytest.mark.usefixtures("no_periodic_work")
@pytest.mark.django_db(transaction=True)
def test_a_worker_is_known_while_it_works(monkeypatch):
    monkeypatch.setattr(heartbeat, "EVERY", 0.05)
    done = threading.Event()

    with heartbeat.beating("one", daily=done.set):
        assert done.wait(5)
        Worker.objects.update(seen=timezone.now() - timedelta(minutes=1))
        wait_for(Worker.objects.alive().exists)

    assert not Worker.objects.exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("routine", ["daily", "periodic"])
@pytest.mark.parametrize("error", [ZeroDivisionError, OperationalError])
def test_an_error_in_periodic_work_stops_neither_heartbeat_nor_periodic_work(
    monkeypatch, caplog, routine, error
):
    monkeypatch.setattr(heartbeat, "EVERY", 0.05)
    monkeypatch.setattr(heartbeat, "DAY", 0.05)
    failures = threading.Semaphore(0)

    def fail():
        failures.release()
        raise error

    monkeypatch.setattr(periodic, "tick", fail if routine == "periodic" else lambda: None)
    with heartbeat.beating("one", daily=fail if routine == "daily" else lambda: None):
        for _ in range(3):
            assert failures.acquire(timeout=20)
        assert beats()

    # An unreachable database would fill the log with tracebacks.
    assert bool(caplog.records[0].exc_info) == (error is ZeroDivisionError)


@pytest.mark.usefixtures("no_periodic_work")
@pytest.mark.django_db(transaction=True)
def test_the_heartbeat_survives_its_own_errors(monkeypatch, caplog):
    monkeypatch.setattr(heartbeat, "EVERY", 0.05)
    silent_for(LOST + timedelta(seconds=5))
    task = running_task()

    with heartbeat.beating("one"):
        # Of a worker's tasks one cannot be read.
        silent_for(LOST + timedelta(seconds=5))
        DBTaskResult.objects.filter(pk=task.pk).update(worker_ids=7)
        wait_for(lambda: any(record.exc_info for record in caplog.records), 20)
        assert beats()
        DBTaskResult.objects.filter(pk=task.pk).update(worker_ids=["dead"])
        wait_for(DBTaskResult.objects.filter(pk=task.pk, status="READY").exists, 20)


def beats():
    """Say whether worker "one" records heartbeats from now on."""
    Worker.objects.filter(name="one").update(seen=timezone.now() - timedelta(minutes=1))
    return wait_for(Worker.objects.filter(name="one").alive().exists, 20)


class TestOtherWorkerCommands:
    """Where the backup app alone is installed, with any command that does the tasks."""

    @pytest.fixture(autouse=True)
    def upkeep(self, settings):
        settings.BACKUP_UPKEEP_IN_WORKERS = True

    def wakes(self):
        return DBTaskResult.objects.filter(task_path="backup_app.jobs.heartbeat.wake")

    @pytest.mark.django_db(transaction=True)
    def test_a_new_worker_recovers_from_one_that_died(self, dead, tmp_path):
        """As after a kill -9 while a backup ran and nothing else was to be done."""
        job = JobFactory(status="running", worker=dead, started=timezone.now())
        Worker.objects.create(name="dead", process=dead)
        task = running_task("dead", args=[job.pk])
        heartbeat.put_off_wake()
        self.wakes().update(run_after=timezone.now())

        words = "db_worker --queue-name=* --no-startup-delay --interval=0.05 --no-reload".split()
        with manage(tmp_path, *words, BACKUP_UPKEEP_IN_WORKERS="true"):
            wait_for(lambda: not Worker.objects.filter(name="dead").exists(), 60)
            wait_for(lambda: not type(job).objects.filter(pk=job.pk, status="running").exists(), 60)
            wait_for(DBTaskResult.objects.filter(pk=task.pk, status="SUCCESSFUL").exists, 60)

            assert self.wakes().filter(status="READY", run_after__gt=timezone.now()).count() == 1
        job.refresh_from_db()
        assert job.status == "failed"

    @pytest.mark.django_db
    def test_signs_of_life_put_off_the_task_that_wakes_workers(self):
        heartbeat.wake_after_migrate(using="default")
        self.wakes().update(run_after=timezone.now())

        heartbeat.beat("one")

        assert [task.queue_name for task in self.wakes()] == ["backups"]
        assert self.wakes().get().run_after > timezone.now()

    @pytest.mark.django_db
    def test_a_project_can_leave_it_to_its_own_command(self, settings):
        settings.BACKUP_UPKEEP_IN_WORKERS = False

        heartbeat.wake_after_migrate(using="default")
        heartbeat.beat("one")

        assert not self.wakes().exists()

    @pytest.mark.django_db
    def test_tasks_of_another_backend_are_left_alone(self, settings):
        settings.TASKS = {"default": {"BACKEND": DUMMY, "QUEUES": []}}

        heartbeat.wake_after_migrate(using="default")
        heartbeat.beat_from_first_task(object())

        assert default_task_backend.results == []
        assert not Worker.objects.exists()
