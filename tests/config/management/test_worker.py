import signal
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from backup_app.models import Worker
from config.management.commands.worker import tidy


def waiting_task():
    return DBTaskResult.objects.create(
        status="READY",
        args_kwargs={"args": ["event", 0], "kwargs": {}},
        task_path="calendar_app.services.posts.publish_when_due",
        backend_name="default",
    )


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
        task = waiting_task()
        ended = now - timedelta(days=days)
        DBTaskResult.objects.filter(pk=task.pk).update(status="FAILED", finished_at=ended)

    tidy()

    assert [now - task.finished_at for task in DBTaskResult.objects.all()] == [timedelta(days=13)]
