"""Maintenance on a schedule: what is due is done once, and how it went is kept and told."""

import datetime as dt
from pathlib import Path

import pytest
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from backup_app.alerts import jobs as ended_jobs
from backup_app.alerts import maintenance as alerts
from backup_app.exceptions import WrongState
from backup_app.jobs import execute
from backup_app.jobs.maintenance import rotation, runs, schedule
from backup_app.jobs.worker_id import this_worker
from backup_app.models import (
    AlertDelivery,
    AlertRule,
    Job,
    MaintenancePlan,
    MaintenanceRun,
    Volume,
)
from tests.support.concurrency import call_together

from ..support.answering_engine import answering_engine
from ..support.factories import ClientFactory, JobFactory, PoolFactory, StorageFactory
from ..support.folder_engine import folder_engine
from ..support.local_backups import back_up, local_client, local_roots

pytestmark = pytest.mark.django_db
NOON = dt.datetime(2027, 3, 1, 12, tzinfo=dt.UTC)


@pytest.fixture
def engine():
    with folder_engine():
        yield


@pytest.fixture
def clock(time_machine):
    """A function that sets the day and hour."""

    def at(day, hour=12):
        moment = NOON.replace(hour=hour) + dt.timedelta(days=day)
        time_machine.move_to(moment, tick=False)

    at(0)
    return at


def make_plan(task="prune", **fields):
    about = {"storage": StorageFactory()} if task == "check" else {"pool": PoolFactory()}
    known = {"task": task, "schedule": "30 5 * * *", **about}
    return MaintenancePlan.objects.create(**known | fields)


def good(client, ended=None, **fields):
    ended = ended or timezone.now()
    times = {"started": ended, "ended": ended}
    return JobFactory(client=client, status="completed", **times, **fields)


def carried_out(plan):
    """Run a plan now, in this process; return the run."""
    run = schedule.start(plan, "ann")
    runs.carry_out.func(run.pk)
    run.refresh_from_db()
    return run


class TestSchedule:
    @pytest.mark.parametrize(
        ("times", "expected"),
        [
            ([(0, 6), (1, 6), (1, 7), (2, 6)], [0, 1, 0, 1]),
            ([(0, 6), (9, 7), (9, 8), (10, 6)], [0, 1, 0, 1]),
        ],
        ids=["each day once", "missed ones once"],
    )
    def test_a_plan_starts(self, clock, times, expected):
        make_plan()
        started = []
        for day, hour in times:
            clock(day, hour)
            started.append(schedule.start_due())
            MaintenanceRun.objects.update(status="completed")

        assert started == expected

    def test_one_that_is_off_makes_nothing_up(self, clock):
        plan = make_plan()
        schedule.start_due()
        MaintenancePlan.objects.update(enabled=False)
        clock(5)
        schedule.start_due()
        MaintenancePlan.objects.update(enabled=True)

        assert [schedule.start_due(), schedule.start_due()] == [0, 0]
        assert not plan.runs.exists()

    def test_one_that_runs_is_not_started_again(self, clock, caplog):
        plan = make_plan(scheduled=NOON)
        schedule.start(plan, "ann")
        clock(1)

        assert schedule.start_due() == 0
        with pytest.raises(WrongState, match=r"is queued or running already"):
            schedule.start(plan, "ann")


@pytest.mark.django_db(transaction=True)
def test_of_several_workers_one_starts_it():
    make_plan(scheduled=timezone.now() - dt.timedelta(days=9))

    assert sorted(call_together(lambda number: schedule.start_due(), 3)) == [0, 0, 1]
    assert MaintenanceRun.objects.count() == DBTaskResult.objects.count() == 1


class TestRuns:
    def test_a_run_whose_worker_died_is_done_again(self, clock, dead):
        run = schedule.start(make_plan(), "ann")
        MaintenanceRun.objects.update(status="running", worker=dead, seen=NOON)
        clock(1)

        assert runs.revive() == 1
        assert runs.revive() == 0
        runs.carry_out.func(run.pk)

        run.refresh_from_db()
        assert (run.status, run.message) == ("completed", "Removed 0 jobs, 0 bytes.")

    def test_one_that_is_at_work_elsewhere_is_left_alone(self, clock):
        run = schedule.start(make_plan(), "ann")
        MaintenanceRun.objects.update(status="running", worker=this_worker(), seen=NOON)
        clock(1)

        assert runs.revive() == 0
        runs.carry_out.func(run.pk)

        assert MaintenanceRun.objects.get().status == "running"

    def test_one_that_ended_is_not_done_again(self, monkeypatch):
        run = carried_out(make_plan())
        monkeypatch.setitem(runs.tasks.TASKS, "prune", None)

        runs.carry_out.func(run.pk)

        assert MaintenanceRun.objects.get().status == "completed"

    def test_what_fails_unexpectedly_says_so(self, monkeypatch):
        monkeypatch.setitem(runs.tasks.TASKS, "prune", lambda plan: 1 / 0)

        run = carried_out(make_plan())

        assert (run.status, run.message) == ("failed", runs.UNEXPECTED)

    def test_the_last_hundred_are_kept(self, monkeypatch):
        monkeypatch.setattr(runs, "KEPT", 2)
        plan = make_plan()
        made = [carried_out(plan).pk for _ in range(4)]

        assert list(plan.runs.values_list("pk", flat=True)) == made[:1:-1]


class TestPrune:
    def test_only_the_expired_of_the_pool_are_removed(self, engine, clock, tmp_path):
        storage = StorageFactory(path=str(tmp_path))
        client = ClientFactory(pool__storage=storage, pool__retention_days=5)
        other = PoolFactory(account=client.account, storage=storage, retention_days=5)
        old = [good(client), good(client, pool=other)]
        clock(20)
        new = [good(client), good(client, pool=other)]

        run = carried_out(make_plan(pool=client.pool))

        assert (run.status, run.message) == ("completed", "Removed 1 job, 0 bytes.")
        assert set(Job.objects.all()) == {old[1], *new}


class TestVerify:
    def test_every_backup_is_read_within_the_days(self, clock):
        """On each of 40 days one is made, the pool keeps ten, and the plan reads within 5 days."""
        client = ClientFactory()
        plan = make_plan("verify", pool=client.pool, days=5)
        read = {}
        for day in range(40):
            clock(day, 5)
            pk = good(client).pk
            read[pk] = day
            for gone in sorted(read)[:-10]:
                del read[gone]
                Job.objects.filter(pk=gone).delete()
            clock(day, 6)
            turn = rotation.next_turn(plan.pool, plan.schedule, plan.days)
            for job in turn.backups:
                read[job.pk] = day
                good(client, type="verify", parent=job, level=None)
            assert all(day - last <= 5 for last in read.values())
            assert len(turn.backups) <= 4

    def test_a_run_starts_verifications(self, clock, engine):
        client = ClientFactory()
        first, second = good(client), good(client)
        clock(0, 13)
        good(client, type="verify", parent=first, level=None)
        clock(1)
        plan = make_plan("verify", pool=client.pool, days=2)

        run = carried_out(plan)

        assert run.message == "Started 1 verification of 2 backups."
        [job] = Job.objects.filter(type="verify", status="queued")
        assert (job.parent, job.requested_by) == (second, "schedule")
        assert carried_out(plan).message == "Started 0 verifications of 2 backups."

    def test_a_restore_test_does_not_count_as_reading(self, clock):
        client = ClientFactory()
        first, _ = good(client), good(client)
        good(client, type="verify", parent=first, level=None, request={"sample": 20})
        clock(1)

        assert rotation.next_turn(client.pool, "0 6 * * *", 2).backups == [first]

    def test_more_backups_take_no_more_queries(self, clock, django_assert_num_queries):
        client = ClientFactory()
        for _ in range(3):
            good(client)
        clock(40)

        with django_assert_num_queries(3):
            assert len(rotation.next_turn(client.pool, "0 6 * * *", 30).backups) == 3


@pytest.mark.django_db(transaction=True)
class TestRestoreTest:
    @pytest.fixture
    def client(self, tmp_path):
        with local_roots(tmp_path):
            client = local_client(tmp_path)
            (tmp_path / "tree/sub").mkdir()
            for number in range(5):
                (tmp_path / f"tree/sub/{number}.txt").write_text(str(number) * 5000)
            (tmp_path / "tree/link").symlink_to("sub/1.txt")
            yield client

    def ended_test(self, client):
        plan = make_plan("test", pool=client.pool, files=4)
        run = carried_out(plan)
        assert run.message == "Started 1 restore test."
        [job] = Job.objects.filter(type="verify")
        execute.run(job.pk)
        job.refresh_from_db()
        assert not list(Path(job.storage.path).glob("work/*"))
        return job

    def test_a_sample_is_restored_and_compared(self, client, tmp_path):
        back_up(client)
        (tmp_path / "tree/sub/1.txt").write_text("changed")
        (tmp_path / "tree/sub/2.txt").unlink()
        backup = back_up(client, "Incremental")

        job = self.ended_test(client)

        assert (job.status, job.files, job.parent) == ("completed", 4, backup)
        assert job.message.startswith(f"A sample of backup {backup.pk} is restored as it was: 4")

    def test_a_volume_that_rotted_is_found_and_told(self, client, tmp_path):
        AlertRule.objects.create(name="on call", target="ops@example.org")
        backup = back_up(client)
        volume = tmp_path / "storage" / Volume.objects.get(job=backup).path
        content = bytearray(volume.read_bytes())
        content[20:-20] = bytes(len(content) - 40)
        volume.write_bytes(content)

        job = self.ended_test(client)

        assert job.status == "failed"
        ended_jobs.look()
        assert AlertDelivery.objects.get().title == (
            f"The restore test of backup {backup.pk} of client '{client}' failed."
        )

    def test_an_empty_backup_has_nothing_to_test(self, tmp_path):
        with local_roots(tmp_path):
            client = local_client(tmp_path)
            back_up(client)

            assert self.ended_test(client).status == "completed"


class TestCheck:
    def test_what_belongs_to_no_job_is_a_problem_that_is_told_once(self, engine, tmp_path):
        rule = AlertRule.objects.create(name="on call", target="ops@example.org")
        lost = tmp_path / "volumes" / "job-7"
        lost.mkdir(parents=True)
        plan = make_plan("check", storage=StorageFactory(name="disk", path=str(tmp_path)))

        first, second = carried_out(plan), carried_out(plan)
        lost.rmdir()
        third = carried_out(plan)

        assert [run.status for run in (first, second, third)] == [
            "problems",
            "problems",
            "completed",
        ]
        assert first.problems == [f"{lost}: No job has this volume."]
        told = rule.deliveries.order_by("pk").values_list("event", "title")
        assert list(told) == [
            ("maintenance.failed", "The scheduled check of storage 'disk' found problems."),
            ("recovered", "Recovered: The scheduled check of storage 'disk' succeeded."),
        ]

    def test_a_storage_that_cannot_be_reached_fails(self):
        with answering_engine():
            plan = make_plan("check", storage=StorageFactory(zone__engine="gone"))
            run = carried_out(plan)

        assert (run.status, run.message) == (
            "failed",
            "BACKUP_ENGINES['gone'] is missing 'gone'.",
        )


@pytest.mark.attack
@pytest.mark.parametrize(("task", "expected"), [("prune", ["all", "mine"]), ("check", ["all"])])
def test_problems_are_told_to_whom_they_concern(task, expected):
    pool = PoolFactory()
    AlertRule.objects.create(name="all", target="a@b.org")
    AlertRule.objects.create(name="mine", target="a@b.org", account=pool.account)
    AlertRule.objects.create(name="other", target="a@b.org", account=PoolFactory().account)
    about = {"pool": pool} if task == "prune" else {"storage": pool.storage}
    run = MaintenanceRun.objects.create(plan=make_plan(task, **about), status="failed")

    alerts.notice(run)

    assert sorted(AlertDelivery.objects.values_list("rule__name", flat=True)) == expected
