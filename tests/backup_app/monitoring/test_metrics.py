"""What the metrics tell."""

import datetime as dt

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from prometheus_client.openmetrics import parser as openmetrics
from prometheus_client.parser import text_string_to_metric_families

from backup_app.models import Fault, Worker

from ..support.factories import AccountFactory, ClientFactory, JobFactory, StorageFactory

pytestmark = pytest.mark.django_db
NOW = dt.datetime(2027, 3, 10, 12, tzinfo=dt.UTC)
HOUR = dt.timedelta(hours=1)


@pytest.fixture(autouse=True)
def noon(time_machine):
    time_machine.move_to(NOW, tick=False)


def scrape(**headers):
    return Client().get("/metrics", headers={"Host": "localhost", **headers})


def samples():
    """Return the value of each sample by its name and the values of its labels."""
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(scrape().content.decode())
        for sample in family.samples
    }


def of_client(found):
    return {key[0]: value for key, value in found.items() if key[1:] == ("ann", "web1")}


@pytest.fixture
def machine():
    return ClientFactory(name="web1", account=AccountFactory(username="ann"))


def backup(machine, hours_ago, status="completed", **fields):
    began = NOW - hours_ago * HOUR
    times = {"started": began, "ended": began + dt.timedelta(minutes=10)}
    return JobFactory(client=machine, status=status, **times | fields)


def test_a_client_has_its_newest_good_backup(machine):
    backup(machine, 30, bytes=1, stored_bytes=2)
    backup(machine, 3, "warnings", bytes=500, stored_bytes=200)
    backup(machine, 2, type="restore", level=None, bytes=9)
    backup(machine, 1, type="verify", level=None)

    assert of_client(samples()) == {
        "backup_last_success_timestamp_seconds": (NOW - 3 * HOUR).timestamp() + 600,
        "backup_last_duration_seconds": 600,
        "backup_last_size_bytes": 500,
        "backup_last_stored_bytes": 200,
        "backup_client_stored_bytes": 202,
        "backup_client_overdue": 0,
        "backup_client_failing": 0,
        "backup_last_verification_timestamp_seconds": (NOW - HOUR).timestamp() + 600,
    }


def test_what_has_not_been_yet_is_absent(machine):
    assert of_client(samples()) == {
        "backup_client_stored_bytes": 0,
        "backup_client_overdue": 0,
        "backup_client_failing": 0,
    }


def test_a_client_fails_until_its_next_good_backup(machine):
    backup(machine, 30)
    backup(machine, 2, "failed")
    backup(machine, 1, "canceled")
    backup(machine, 1, "failed", type="verify", level=None)
    JobFactory(client=machine, status="running")

    found = of_client(samples())

    assert (found["backup_client_overdue"], found["backup_client_failing"]) == (1, 1)
    assert "backup_last_verification_timestamp_seconds" not in found
    machine.jobs.filter(status="running").update(status="completed", started=NOW, ended=NOW)
    found = of_client(samples())
    assert (found["backup_client_overdue"], found["backup_client_failing"]) == (0, 0)


def test_a_deleted_client_has_none(machine):
    machine.deleted = NOW
    machine.save()

    assert of_client(samples()) == {}


def test_jobs_are_counted_by_type_and_state(machine):
    backup(machine, 5)
    backup(machine, 4)
    backup(machine, 3, "failed", type="restore", level=None)

    counts = {key[1:]: value for key, value in samples().items() if key[0] == "backup_jobs"}

    assert len(counts) == 3 * 7
    assert {key: count for key, count in counts.items() if count} == {
        ("completed", "backup"): 2,
        ("failed", "restore"): 1,
    }


def test_the_queue_is_as_old_as_its_oldest_job(machine, time_machine):
    assert samples()["backup_queue_oldest_seconds",] == 0
    JobFactory(client=machine)
    time_machine.move_to(NOW + HOUR, tick=False)
    JobFactory(type="restore", level=None)

    assert samples()["backup_queue_oldest_seconds",] == 3600


def test_only_workers_that_are_alive_count():
    Worker.objects.create(name="one", process="here")
    Worker.objects.create(name="two", process="here")
    Worker.objects.filter(name="two").update(seen=dt.datetime(2020, 1, 1, tzinfo=dt.UTC))

    assert samples()["backup_workers",] == 1


def test_faults_of_workers_are_counted():
    Fault.objects.create(worker="here:1", message="The storage 'disk' has no folder '/mnt'.")

    assert samples()["backup_worker_faults",] == 1


def test_the_queries_are_as_many_for_three_clients_as_for_one():
    def queries():
        with CaptureQueriesContext(connection) as queries:
            assert scrape().status_code == 200
        return len(queries)

    backup(ClientFactory(), 1)
    with_one = queries()
    for _ in range(2):
        backup(ClientFactory(), 1, stored_bytes=1)
        JobFactory()
        StorageFactory()

    assert queries() == with_one == 11


def test_names_are_escaped():
    ClientFactory(name='we"b\\1', account=AccountFactory(username="a\nb"))

    assert ("backup_client_overdue", "a\nb", 'we"b\\1') in samples()


def test_accounts_of_one_address_do_not_mix():
    for username in ("ann", "ben"):
        user = User.objects.create_user(username, "both@example.org")
        ClientFactory(name="web1", account=user)

    overdue = [key[1:] for key in samples() if key[0] == "backup_client_overdue"]

    assert overdue == [("ann", "web1"), ("ben", "web1")]


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        ("", "text/plain; version=0.0.4; charset=utf-8"),
        ("*/*", "text/plain; version=0.0.4; charset=utf-8"),
        ("text/plain;version=x", "text/plain; version=0.0.4; charset=utf-8"),
        (
            "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5",
            "application/openmetrics-text; version=1.0.0; charset=utf-8",
        ),
        (
            "application/openmetrics-text;version=x.y",
            "application/openmetrics-text; version=1.0.0; charset=utf-8",
        ),
    ],
)
def test_the_format_is_one_that_is_accepted(machine, accept, kind):
    answer = scrape(Accept=accept)

    parsers = {"text": text_string_to_metric_families}
    parse = parsers.get(kind[:4], openmetrics.text_string_to_metric_families)
    assert answer["Content-Type"] == kind
    assert "backup_jobs" in {family.name for family in parse(answer.content.decode())}
