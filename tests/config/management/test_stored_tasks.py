"""Tasks that an earlier version put into the queue are done by this one."""

import pytest
from django.core.management import call_command
from django_tasks_db.models import DBTaskResult

from backup_app.jobs import tasks as backup_tasks
from backup_app.services.downloads import prepare_download
from calendar_app.models import Event, Status
from calendar_app.services import images, posts
from tests.calendar_app.support.factories import EventFactory

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_task_by_its_earlier_name_is_done():
    event = EventFactory(status=Status.FUTURE)
    Event.objects.update(date_utc="2020-01-01T00:00Z")
    queued = posts.publish_when_due.enqueue("Event", event.pk)
    stored = DBTaskResult.objects.filter(pk=queued.id)
    stored.update(task_path="calendar_app.tasks.publish_when_due")

    call_command("db_worker", batch=True, startup_delay=False, verbosity=0)

    event.refresh_from_db()
    assert event.status == Status.PUBLISH
    assert stored.get().status == "SUCCESSFUL"


@pytest.mark.parametrize(
    ("path", "task"),
    [
        ("backup_app.tasks.run_job", backup_tasks.run_job),
        ("backup_app.tasks.run_next_job", backup_tasks.run_next_job),
        ("backup_app.tasks.prepare_download", prepare_download),
        ("calendar_app.tasks.fetch_image", images.fetch_image),
    ],
)
def test_earlier_names_are_those_of_the_same_tasks(path, task):
    stored = DBTaskResult(task_path=path, backend_name="default", queue_name="default", priority=0)

    assert stored.task.func is task.func


def test_the_calendars_tasks_stay_at_their_paths():
    paths = [task.module_path for task in (images.fetch_image, posts.publish_when_due)]

    assert paths == [
        "calendar_app.services.images.fetch_image",
        "calendar_app.services.posts.publish_when_due",
    ]
