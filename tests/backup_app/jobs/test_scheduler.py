import datetime as dt

import pytest
from django.test import override_settings

from backup_app.jobs import scheduler
from backup_app.models import Client, Job
from tests.support.concurrency import call_together

from ..support.factories import ClientFactory, JobFactory
from ..support.folder_engine import folder_engine

NIGHTLY = "30 2 * * *"


@pytest.fixture
def engine():
    with folder_engine():
        yield


@pytest.fixture
def clock(time_machine):
    """A function that sets the time, in UTC, and does what is due then."""

    def at(text):
        time_machine.move_to(dt.datetime.fromisoformat(text).replace(tzinfo=dt.UTC), tick=False)
        scheduler.forget_unscheduled()
        return scheduler.start_due()

    return at


def end_jobs():
    Job.objects.update(status="completed")


@pytest.mark.django_db
@pytest.mark.usefixtures("engine")
class TestStartDue:
    def test_a_backup_starts_when_it_is_due(self, clock):
        client = ClientFactory(schedule=NIGHTLY)

        started = [clock(f"2027-03-01 {time}") for time in ("02:00", "02:29:59", "02:30:00")]

        assert started == [0, 0, 1]
        (job,) = Job.objects.all()
        assert (job.client, job.level, job.requested_by) == (client, "Incremental", "schedule")

    @pytest.mark.parametrize(
        ("times", "expected"),
        [
            ("01 02:30:00|01 02:30:05|01 02:31:00|01 12:00:00|01 23:59:59", [1, 0, 0, 0, 0]),
            ("01 02:30:00|02 02:30:00|03 02:30:00", [1, 1, 1]),
            ("09 15:00:00|09 15:00:05|09 15:01:00|10 02:29:00|10 02:30:00", [1, 0, 0, 0, 1]),
        ],
        ids=["once", "each day", "a missed one once"],
    )
    def test_it_starts(self, clock, times, expected):
        ClientFactory(schedule=NIGHTLY)
        clock("2027-03-01 02:00")

        started = []
        for time in times.split("|"):
            started.append(clock(f"2027-03-{time}"))
            end_jobs()

        assert started == expected

    def test_a_new_client_waits_for_its_time(self, clock):
        ClientFactory(schedule="* * * * *")

        assert [clock(f"2027-03-01 02:0{n}") for n in (0, 1)] == [0, 1]

    def test_a_schedule_that_was_changed_makes_nothing_up(self, clock):
        ClientFactory(schedule=NIGHTLY)
        clock("2027-03-01 02:30")
        end_jobs()
        clock("2027-03-01 16:00")

        Client.objects.update(schedule="0 15 * * *")

        assert clock("2027-03-01 16:01") == 0
        assert clock("2027-03-02 15:00") == 1

    def test_a_schedule_that_was_taken_away_and_given_again_makes_nothing_up(self, clock):
        ClientFactory(schedule=NIGHTLY)
        clock("2027-03-01 02:00")
        Client.objects.update(schedule="")
        clock("2027-03-05 12:00")
        Client.objects.update(schedule=NIGHTLY)

        assert [clock("2027-03-05 13:00"), clock("2027-03-06 02:30")] == [0, 1]

    def test_the_filesets_schedule_counts_for_clients_without_one(self, clock):
        ClientFactory(name="own", schedule="0 5 * * *", fileset__schedule=NIGHTLY)
        ClientFactory(name="filesets", fileset__schedule=NIGHTLY)
        ClientFactory(name="none")
        clock("2027-03-01 02:00")

        clock("2027-03-01 03:00")

        assert [job.name for job in Job.objects.all()] == ["filesets"]

    def test_deleted_clients_are_left_alone(self, clock):
        ClientFactory(schedule=NIGHTLY, deleted=dt.datetime(2027, 3, 1, tzinfo=dt.UTC))
        clock("2027-03-01 02:00")

        assert clock("2027-03-01 03:00") == 0

    def test_one_that_cannot_start_does_not_stop_the_others(self, clock, caplog):
        busy = JobFactory(client__schedule=NIGHTLY, client__name="a").client
        wrong = ClientFactory(schedule="wrong", name="b")
        ClientFactory(schedule=NIGHTLY, name="c")
        lost = ClientFactory(schedule=NIGHTLY, name="d", pool__storage__zone__engine="gone")
        clock("2027-03-01 02:00")
        caplog.clear()

        assert clock("2027-03-01 03:00") == 1

        unknown = "'wrong' is not a schedule: it needs 5 fields, such as 30 2 * * *."
        gone = "BACKUP_ENGINES['gone'] is missing 'gone'."
        refused = f"Client 'a' already has a backup: job {busy.jobs.get().pk} is queued."
        assert [record.getMessage() for record in caplog.records] == [
            f"Client {wrong.pk} is not backed up on schedule: {unknown}",
            f"The scheduled backup of client {busy.pk} did not start: {refused}",
            f"The scheduled backup of client {lost.pk} did not start: {gone}",
        ]

    def test_all_not_due_are_noted_in_one_query(self, clock, django_assert_num_queries):
        for _ in range(3):
            ClientFactory(schedule=NIGHTLY)
        clock("2027-03-01 02:00")

        with django_assert_num_queries(3):
            clock("2027-03-01 02:01")

    @override_settings(TIME_ZONE="Europe/Berlin")
    def test_a_night_with_two_half_past_two_has_one_backup(self, clock):
        ClientFactory(schedule=NIGHTLY)
        clock("2027-10-30 23:00")

        started = []
        for minute in range(0, 180, 10):
            started.append(clock(f"2027-10-31 {minute // 60:02}:{minute % 60:02}"))
            end_jobs()

        assert sum(started) == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("engine")
def test_of_several_workers_one_starts_a_backup():
    long_ago = dt.datetime(2027, 3, 1, tzinfo=dt.UTC) - dt.timedelta(days=900)
    ClientFactory(schedule=NIGHTLY, scheduled=long_ago)
    started = call_together(lambda number: scheduler.start_due(), 3)

    assert sorted(started) == [0, 0, 1]
    assert Job.objects.count() == 1
