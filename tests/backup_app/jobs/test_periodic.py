import datetime as dt

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from backup_app.jobs import periodic
from backup_app.jobs import reap as reaping
from backup_app.models import Job

from ..support.factories import ClientFactory, JobFactory
from ..support.folder_engine import folder_engine

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def engine():
    with folder_engine():
        yield


@pytest.fixture
def due():
    """One job of each kind that needs upkeep: dead, due, without a task."""
    long_ago = timezone.now() - dt.timedelta(days=2)
    dead = JobFactory(status="running", worker="elsewhere:1:1", seen=long_ago, started=long_ago)
    ClientFactory(schedule="30 2 * * *", scheduled=long_ago, name="due")
    waiting = JobFactory(seen=None)
    return dead, waiting


def done(dead):
    dead.refresh_from_db()
    return dead.status, Job.objects.filter(name="due").count(), DBTaskResult.objects.count()


def test_all_that_is_due_is_done(due):
    periodic.tick()

    assert done(due[0]) == ("failed", 1, 1)


def test_an_error_in_one_step_stops_no_other(due, monkeypatch, caplog):
    def reap():
        raise ZeroDivisionError

    monkeypatch.setattr(reaping, "reap", reap)

    periodic.tick()

    assert done(due[0]) == ("running", 1, 1)
    assert caplog.records[0].getMessage() == "The periodic step 'reap' of backups failed."


def test_the_command_does_it_for_projects_with_another_worker(due):
    call_command("backup_upkeep", once=True)

    assert done(due[0]) == ("failed", 1, 1)


def test_the_command_refuses_no_time():
    with pytest.raises(CommandError, match=r"--every 0.0 is too short"):
        call_command("backup_upkeep", "--every=0")


def test_the_command_goes_on_until_it_is_ended(monkeypatch):
    rounds = iter([None, None, KeyboardInterrupt])

    def tick():
        if end := next(rounds):
            raise end

    monkeypatch.setattr(periodic, "tick", tick)

    with pytest.raises(KeyboardInterrupt):
        call_command("backup_upkeep", "--every=0.01")

    assert list(rounds) == []
