import signal
import threading
import time
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from config.management.commands.worker import prune
from config.models import LOST, Worker
from config.serving import heartbeat

from .serving import wait_for


def silent_for(age, name="dead"):
    worker = Worker.objects.create(name=name, host="there")
    Worker.objects.filter(pk=name).update(seen=timezone.now() - age)
    return worker


def running_task(*workers):
    return DBTaskResult.objects.create(
        status="RUNNING",
        args_kwargs={"args": [], "kwargs": {}},
        task_path="calendar_app.services.tasks.publish_when_due",
        backend_name="default",
        worker_ids=list(workers),
    )


def waiting_task():
    return DBTaskResult.objects.create(
        status="READY",
        args_kwargs={"args": ["event", 0], "kwargs": {}},
        task_path="calendar_app.services.tasks.publish_when_due",
        backend_name="default",
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


@pytest.mark.django_db(transaction=True)
def test_a_worker_is_known_while_it_works(monkeypatch):
    monkeypatch.setattr(heartbeat, "EVERY", 0.05)
    done = threading.Event()

    with heartbeat.beating("one", daily=done.set, often=lambda: None):
        assert done.wait(5)
        Worker.objects.update(seen=timezone.now() - timedelta(minutes=1))
        deadline = time.monotonic() + 5
        while not Worker.objects.alive().exists():
            assert time.monotonic() < deadline
            time.sleep(0.05)

    assert not Worker.objects.exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("routine", ["daily", "often"])
def test_what_goes_wrong_beside_it_stops_neither_heart_nor_itself(monkeypatch, caplog, routine):
    monkeypatch.setattr(heartbeat, "EVERY", 0.05)
    monkeypatch.setattr(heartbeat, "DAY", 0.05)
    failures = threading.Semaphore(0)

    def fail():
        failures.release()
        raise ZeroDivisionError

    routines = {"daily": lambda: None, "often": lambda: None, routine: fail}
    with heartbeat.beating("one", **routines):
        for _ in range(3):
            assert failures.acquire(timeout=20)
        assert beats()

    assert caplog.records[0].exc_info[0] is ZeroDivisionError


@pytest.mark.django_db(transaction=True)
def test_the_heart_beats_on_whatever_befalls_it(monkeypatch, caplog):
    monkeypatch.setattr(heartbeat, "EVERY", 0.05)
    silent_for(LOST + timedelta(seconds=5))
    task = running_task()

    with heartbeat.beating("one", daily=lambda: None, often=lambda: None):
        # Of a worker's tasks one cannot be read.
        silent_for(LOST + timedelta(seconds=5))
        DBTaskResult.objects.filter(pk=task.pk).update(worker_ids=7)
        wait_for(lambda: any(record.exc_info for record in caplog.records), 20)
        assert beats()
        DBTaskResult.objects.filter(pk=task.pk).update(worker_ids=["dead"])
        wait_for(DBTaskResult.objects.filter(pk=task.pk, status="READY").exists, 20)


def beats():
    """Say whether worker "one" gives a sign of life from now on."""
    Worker.objects.filter(name="one").update(seen=timezone.now() - timedelta(minutes=1))
    return wait_for(Worker.objects.filter(name="one").alive().exists, 20)


@pytest.fixture
def signal_handlers():
    """Put the handlers back that a worker replaces."""
    numbers = signal.SIGINT, signal.SIGTERM, signal.SIGQUIT
    handlers = {number: signal.getsignal(number) for number in numbers}
    yield
    for number, handler in handlers.items():
        signal.signal(number, handler)


@pytest.mark.django_db(transaction=True)
def test_the_command_does_the_tasks_that_wait(signal_handlers):
    task = waiting_task()

    call_command("worker", batch=True, startup_delay=False, verbosity=0)

    task.refresh_from_db()
    assert task.status == "SUCCESSFUL"
    assert not Worker.objects.exists()


@pytest.mark.django_db
def test_results_are_forgotten_after_two_weeks():
    now = timezone.now()
    for days in (13, 15):
        task = running_task("one")
        ended = now - timedelta(days=days)
        DBTaskResult.objects.filter(pk=task.pk).update(status="FAILED", finished_at=ended)

    prune()

    assert [now - task.finished_at for task in DBTaskResult.objects.all()] == [timedelta(days=13)]
