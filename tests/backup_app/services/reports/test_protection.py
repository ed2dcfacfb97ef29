import datetime as dt

import pytest

from backup_app.models import Client
from backup_app.services.reports import protection

from ...support.factories import ClientFactory, JobFactory

pytestmark = pytest.mark.django_db
NOW = dt.datetime(2027, 3, 10, 12, tzinfo=dt.UTC)
NIGHTLY, WEEKLY = "30 2 * * *", "30 2 * * mon"


@pytest.fixture(autouse=True)
def noon(time_machine):
    time_machine.move_to(NOW, tick=False)


def backed_up(hours, **fields):
    """Make a client whose backup began hours ago."""
    began = NOW - dt.timedelta(hours=hours)
    times = {"started": began, "ended": began + dt.timedelta(minutes=10)}
    return JobFactory(status="completed", **times, **fields).client


def state(client):
    (found,) = protection.of_clients(Client.objects.filter(pk=client.pk))
    return found.state


@pytest.mark.parametrize(
    ("hours", "schedule", "expected"),
    [
        (25, "", "ok"),
        (27, "", "overdue"),
        (9.5, NIGHTLY, "ok"),
        (33.5, NIGHTLY, "overdue"),
        (25, NIGHTLY, "ok"),  # by hand
        (57.5, WEEKLY, "ok"),  # on Monday
        (57.5 + 7 * 24, WEEKLY, "overdue"),
        (27, "wrong", "overdue"),
    ],
)
def test_a_backup_is_overdue_by_the_setting_or_the_schedule(hours, schedule, expected):
    assert state(backed_up(hours, client__schedule=schedule)) == expected


def test_a_scheduled_backup_has_two_hours_to_end(time_machine):
    client = backed_up(7 * 24 + 0.5, client__schedule="30 11 * * wed")

    assert state(client) == "ok"
    time_machine.move_to(NOW + dt.timedelta(hours=2))
    assert state(client) == "overdue"


def test_a_new_client_waits_for_its_first_backup(time_machine):
    client = ClientFactory()

    assert state(client) == "waiting"
    time_machine.move_to(NOW + dt.timedelta(hours=27))
    assert state(client) == "overdue"


def test_a_running_backup_is_told():
    client = backed_up(1)
    JobFactory(client=client, status="running")

    assert state(client) == "running"


def test_only_good_backups_count(django_assert_num_queries):
    good = JobFactory(status="warnings", started=NOW, ended=NOW, stored_bytes=5)
    client = good.client
    JobFactory(client=client, status="completed", started=NOW, ended=NOW, stored_bytes=2)
    JobFactory(client=client, status="failed", stored_bytes=100)
    JobFactory(client=client, status="completed", type="verify", level=None, stored_bytes=100)
    ClientFactory(name="zzz")

    with django_assert_num_queries(2):
        first, _ = protection.of_clients(Client.objects.select_related("fileset"))

    assert (first.stored_bytes, first.last.status, first.age) == (7, "completed", dt.timedelta())


@pytest.mark.parametrize(
    ("engine_name", "expected"),
    [
        ("", "There is no good backup yet. It has no schedule."),
        ("north-fd", "There is no good backup yet."),
    ],
)
def test_only_a_client_of_ours_is_said_to_lack_a_schedule(engine_name, expected):
    client = ClientFactory(engine_name=engine_name)

    (found,) = protection.with_standing(Client.objects.filter(pk=client.pk))

    assert protection.reason(found) == expected
