"""Series are extended by workers, which run deferred tasks, and by a command."""

import datetime as dt
from io import StringIO

import pytest
import time_machine
from django.core.management import call_command
from django_tasks_db.models import DBTaskResult

from calendar_app.models import Event, Series
from calendar_app.services import series
from calendar_app.services.series import Rule, extension

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def now(settings):
    settings.CALENDAR_SERIES_HORIZON_DAYS = 10
    with time_machine.travel("2027-02-01T12:00:00Z", tick=False) as traveller:
        yield traveller


def weekly(**fields):
    start = dt.datetime(2027, 2, 1, 19)
    event = Event(title="Choir", start_date=start, end_date=start + dt.timedelta(hours=1), **fields)
    return series.create(event, Rule("FREQ=WEEKLY"))


def test_a_task_waits_for_the_next_date():
    made = weekly()

    [(waiting, moment)] = DBTaskResult.objects.filter(
        task_path="calendar_app.services.series.extension.extend_when_due"
    ).values_list("run_after", "args_kwargs")

    assert waiting == made.extend_at == dt.datetime(2027, 2, 5, 19, tzinfo=dt.UTC)
    assert moment["args"] == [made.pk, made.extend_at.isoformat()]


def test_its_run_adds_the_events_and_is_followed_by_another(now):
    made = weekly()
    moment = made.extend_at.isoformat()
    now.move_to("2027-02-06T12:00:00Z")

    assert extension.extend_when_due.func(made.pk, moment) == 1
    assert Event.objects.count() == 3
    assert DBTaskResult.objects.count() == 2
    assert extension.extend_when_due.func(made.pk, moment) == 0


def test_the_command_makes_what_is_due(now):
    weekly()
    now.move_to("2027-02-16T12:00:00Z")
    out = StringIO()

    call_command("extend_series", stdout=out)
    call_command("extend_series", stdout=out)

    assert out.getvalue() == "Made 2 events.\nMade 0 events.\n"


def test_scheduled_events_of_a_series_are_published_by_one_task(now):
    moment = dt.datetime(2027, 2, 3, tzinfo=dt.UTC)
    made = weekly(status="future", date_utc=moment, date=moment.replace(tzinfo=None))
    paths = DBTaskResult.objects.values_list("task_path", flat=True)
    assert sum(path.endswith("series.extension.publish_when_due") for path in paths) == 1

    now.move_to("2027-02-04T12:00:00Z")

    assert extension.publish_when_due.func(made.pk) == 2
    assert set(Event.objects.values_list("status", flat=True)) == {"publish"}


def test_a_deleted_series_needs_nothing():
    made = weekly()
    Series.objects.all().delete()

    assert extension.extend_when_due.func(made.pk, made.extend_at.isoformat()) == 0
