"""The jobs of years, as they become jobs of this service."""

import datetime as dt

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from backup_app.jobs.adoption import records
from backup_app.jobs.adoption.records import known_between
from backup_app.models import Job, JobSource

from ....support.api_client import client_of
from ....support.factories import JobFactory, ZoneFactory
from ..support.adopting import (
    BEGIN,
    add_fileset_and_pool,
    adopted_client,
    backup,
    chains,
    history,
    numbers,
    running,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine")]


@pytest.fixture
def machine(engine):
    """An adopted client with the fileset "all" and the pool "Default"."""
    return add_fileset_and_pool(adopted_client(ZoneFactory(engine="north"), name="web1"))


def test_a_backup_is_described(adopt, machine):
    number = backup(machine, joberrors=2)

    report = adopt()

    job = Job.objects.get()
    began = BEGIN.replace(tzinfo=dt.UTC)
    assert (job.engine, job.engine_job_id, job.engine_state) == ("north", number, {"adopted": True})
    assert (job.client, job.account, job.requested_by) == (machine, machine.account, "bacula")
    assert (job.name, job.type, job.level) == (f"job-{machine.engine_name}", "backup", "Full")
    assert (job.status, job.errors, job.message) == ("warnings", 2, "")
    assert (job.created, job.started, job.ended) == (began, began, began + dt.timedelta(minutes=5))
    assert (job.files, job.bytes, job.stored_bytes, job.files_done) == (3, 300, 100, 3)
    assert (job.fileset.engine_name, job.pool.engine_name) == ("all", "Default")
    assert job.storage == job.pool.storage
    assert (report.jobs, report.remarks_on_jobs, report.problems) == (
        {"adopted": 1, "corrected": 0},
        [],
        [],
    )


@pytest.mark.parametrize(
    ("letter", "status"),
    [
        ("T", "completed"),
        ("W", "warnings"),
        ("A", "canceled"),
        ("E", "failed"),
        ("e", "failed"),
        ("f", "failed"),
        ("I", "failed"),
    ],
)
def test_its_status_is_that_of_bacula(adopt, machine, letter, status):
    backup(machine, jobstatus=letter)

    adopt()

    job = Job.objects.get()
    assert (job.status, bool(job.message)) == (status, status in ("canceled", "failed"))


def test_a_backup_builds_on_what_it_does_in_bacula(adopt, machine):
    first, second, third, fourth = history(machine, "FIDI")

    adopt()

    assert chains() == {
        first: [first],
        second: [first, second],
        third: [first, third],
        fourth: [first, third, fourth],
    }
    parents = Job.objects.order_by("pk").values_list("parent__engine_job_id", flat=True)
    assert list(parents) == [None, first, first, third]


def test_clients_do_not_build_on_each_other(adopt, machine):
    other = adopted_client(machine.zone)
    for client in (machine, other):
        history(client, "FI", name="shared")

    adopt(machine, other)

    clients = JobSource.objects.values_list("job__client", "source__client")
    assert {len({*pair}) for pair in clients} == {1}
    assert Job.objects.count() == 4


def test_restores_are_adopted_too(adopt, machine):
    backup(machine, type="R", readbytes=0, fileset="x", pool="y")

    report = adopt()

    job = Job.objects.get()
    assert (job.type, job.level, job.bytes, job.stored_bytes) == ("restore", None, 100, 0)
    assert (job.fileset, job.pool, report.remarks_on_jobs) == (None, None, [])


def test_a_second_run_adds_what_is_new(adopt, machine):
    old = history(machine, "FI")
    adopt()
    new = history(machine, "ID", start=BEGIN + dt.timedelta(days=9))

    report = adopt()

    assert numbers() == [*old, *new]
    assert chains()[new[0]] == [*old, new[0]]
    assert report.jobs["adopted"] == 2
    assert adopt().jobs["adopted"] == 0


def test_what_was_missed_before_comes_later(adopt, machine):
    first, second, third = history(machine, "FII")
    adopt()
    Job.objects.filter(engine_job_id=second).delete()

    adopt()

    assert sorted(numbers()) == [first, second, third]
    assert chains()[second] == [first, second]


def test_batches_are_one_history(adopt, machine, monkeypatch):
    monkeypatch.setattr("backup_app.engines.bacula.catalog.job_history.BATCH", 2)
    found = history(machine, "FIIII")

    adopt()

    assert chains()[found[-1]] == found


def test_another_process_may_adopt_the_same(adopt, machine, monkeypatch):
    first, second = history(machine, "FI")
    JobFactory(client=machine, engine="north", engine_job_id=first, status="completed")
    looks = []

    def late(*args):
        looks.append(args)
        return {} if len(looks) == 1 else known_between(*args)

    monkeypatch.setattr(records, "known_between", late)

    adopt()

    assert sorted(numbers()) == [first, second]


def test_one_that_failed_here_only_is_as_in_bacula(adopt, machine):
    first, second = history(machine, "FI")
    adopt()
    wrong = {"status": "failed", "message": "Nobody answered.", "files": 0}
    Job.objects.filter(engine_job_id=second).update(**wrong)
    JobSource.objects.filter(job__engine_job_id=second).delete()

    report = adopt()

    job = Job.objects.get(engine_job_id=second)
    assert (job.status, job.message, job.files) == ("completed", "", 3)
    assert chains()[second] == [first, second]
    assert (report.jobs["corrected"], adopt().jobs["corrected"]) == (1, 0)


def test_a_dry_run_stores_nothing(adopt, machine):
    history(machine, "FI")

    assert adopt(dry_run=True).jobs["adopted"] == 2
    assert not Job.objects.exists()


def test_what_lacks_something_is_adopted_and_named(adopt, machine):
    backup(machine, fileset="gone")
    backup(machine, pool="gone")
    backup(machine, "B")
    backup(machine, filesetid=0, poolid=0, level=" ", schedtime=None, starttime=None, endtime=None)

    report = adopt()

    client = f"of client '{machine.engine_name}'"
    assert report.remarks_on_jobs == [
        f"1 job {client}: fileset 'gone' does not exist here.",
        f"1 job {client}: pool 'gone' does not exist here.",
        f"1 job {client}: level 'B' is not supported.",
        f"1 job {client}: fileset '' does not exist here.",
        f"1 job {client}: pool '' does not exist here.",
        f"1 job {client}: level ' ' is not supported.",
    ]
    assert Job.objects.good().count() == 4


def test_what_this_service_has_not_is_left_out_and_named(adopt, machine):
    for letter in "VDC":
        backup(machine, type=letter)
    backup(machine, jobstatus="?")

    report = adopt()

    assert not Job.objects.exists()
    assert len(report.remarks_on_jobs) == 4


def test_what_runs_is_left_to_upkeep(adopt, machine):
    running(machine)

    report = adopt()

    assert (numbers(), report.remarks_on_jobs) == ([], [])


def test_own_jobs_are_not_adopted(adopt, machine, engine):
    backup(machine, comment=f"{engine.prefix}job 12")

    adopt()

    assert numbers() == []


def test_an_end_before_the_start_is_no_end(adopt, machine):
    backup(machine, minutes=-30)

    adopt()

    job = Job.objects.get()
    assert job.ended == job.started


def test_lists_take_no_more_queries_with_more_jobs(adopt, machine, client, staff):
    api = client_of(machine.account)
    lists = [
        lambda: api.post("/api/myjobs"),
        lambda: api.post(f"/api/jobs/{machine.ip}"),
        lambda: api.post("/api/servers"),
        lambda: client.get("/admin/backup_app/job/"),
        lambda: client.get("/admin/backup_app/client/"),
    ]
    counts = []
    # The first time is another one: it notes when the key was last used.
    for levels in ("F", "F", "FIIDI"):
        history(machine, levels)
        backup(machine, fileset="gone", pool="gone")
        adopt()
        counts.append([queries(each) for each in lists])

    assert counts[1] == counts[2]


def queries(ask):
    with CaptureQueriesContext(connection) as found:
        assert ask().status_code == 200
    return len(found)
