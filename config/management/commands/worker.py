import time
from contextlib import contextmanager
from io import StringIO
from types import SimpleNamespace

from django.core.management import call_command
from django.dispatch import receiver
from django_tasks.signals import task_finished, task_started
from django_tasks_db.management.commands import db_worker

from backup_app.jobs.heartbeat import beating
from backup_app.management.base import CODES, ExplainedCommand
from config.serving import health, wakeup
from config.serving.logs import task_id

KEEP_DAYS = 14


class Command(ExplainedCommand, db_worker.Command):
    help = "Run background tasks until stopped. Several workers may run side by side."
    examples = (
        "worker",
        "worker --queue-name=backups",
        "worker --exclude-queues=backups",
        "worker --batch --max-tasks=10",
    )
    success = "It was stopped by Ctrl-C or SIGTERM, or did what --batch or --max-tasks ask for."
    failure = "Migrations are missing, or a second Ctrl-C broke off a task."
    codes = {2: CODES[2]}  # Ctrl-C is how it is stopped

    def add_arguments(self, parser):
        super().add_arguments(parser)
        # A reloader would be a second process with a heartbeat of its own.
        parser.set_defaults(reload=False, queue_name="*")

    def handle(self, *, worker_id, **options):
        health.require_migrations()
        # All of our tasks can be repeated.
        with beating(worker_id, tasks="", daily=tidy), woken_by_tasks():
            super().handle(worker_id=worker_id, **options)


@contextmanager
def woken_by_tasks():
    """Have the worker sleep lightly between its polls: it has no setting for that."""
    with wakeup.light_sleep() as sleep:
        db_worker.time = SimpleNamespace(sleep=sleep)
        try:
            yield
        finally:
            db_worker.time = time


@receiver(task_started)
def note_task(task_result, **kwargs):
    task_id.set(task_result.id)


@receiver(task_finished)
def forget_task(**kwargs):
    task_id.set(None)


def tidy():
    """Forget the results of old tasks and what the calendar need not keep; queue overdue feeds."""
    call_command("import_feeds", overdue=True, stdout=StringIO())
    call_command("prune_calendar", stdout=StringIO())
    call_command("prune_db_task_results", min_age_days=KEEP_DAYS, queue_name="*", verbosity=0)
