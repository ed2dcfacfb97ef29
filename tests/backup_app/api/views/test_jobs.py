"""Operations 7, 9, 21, 23 and 35 as a caller sees them."""

from datetime import UTC, datetime

import pytest

from backup_app.models import Client, Job, JobLog

from ...support.api_client import job_ids, queries_of
from ...support.factories import (
    ClientFactory,
    FilesetFactory,
    JobFactory,
    PoolFactory,
    SubuserFactory,
)
from ...support.folder_engine import folder_engine

pytestmark = pytest.mark.django_db
NOON = datetime(2030, 1, 15, 12, tzinfo=UTC)


class TestStatus:
    def test_tells_of_the_job(self, api, machine):
        job = JobFactory(client=machine, status="running", message="Reading.")

        answer = api.get(f"/api/status/{job.pk}")

        assert answer.status_code == 200
        assert (answer.json()["status"], answer.json()["message"]) == ("running", "Reading.")

    def test_the_jobs_of_a_deleted_client_are_unknown(self, api, machine):
        job = JobFactory(client=machine, status="completed")
        Client.objects.update(deleted=NOON)

        answer = api.get(f"/api/status/{job.pk}")

        assert answer.status_code == 404
        assert answer.json()["error"] == f"There is no job {job.pk}."

    def test_takes_one_query_beside_those_of_the_login(self, api, machine):
        job = JobFactory(client=machine)

        assert queries_of(lambda: api.get(f"/api/status/{job.pk}")) == 3

    def test_only_by_get(self, api, machine):
        answer = api.post(f"/api/status/{JobFactory(client=machine).pk}")

        assert (answer.status_code, answer["Allow"]) == (405, "GET")
        assert answer.json()["code"] == "method_not_allowed"


class TestCancel:
    @pytest.mark.parametrize(
        ("status", "then"),
        [("queued", "canceled"), ("running", "canceling"), ("canceling", "canceling")],
    )
    def test_an_open_job(self, api, machine, status, then):
        job = JobFactory(client=machine, status=status)

        answer = api.get(f"/api/cancel/{job.pk}/")

        assert answer.status_code == 200
        assert answer.json() == {"job_id": job.pk, "status": then}

    def test_one_that_the_operator_of_the_engine_started_is_refused(self, api, machine):
        job = JobFactory(client=machine, status="running", requested_by="bacula")
        Job.objects.filter(pk=job.pk).update(engine_state={"adopted": True})

        answer = api.get(f"/api/cancel/{job.pk}")

        sentence = f"Job {job.pk} was started in bacula by its operator, who may cancel it."
        assert (answer.status_code, answer.json()["error"]) == (403, sentence)
        job.refresh_from_db()
        assert job.status == "running"

    @pytest.mark.parametrize("status", ["completed", "warnings", "failed", "canceled"])
    def test_one_that_has_ended_is_refused(self, api, machine, status):
        job = JobFactory(client=machine, status=status)

        answer = api.get(f"/api/cancel/{job.pk}")

        assert answer.status_code == 409
        assert answer.json() == {
            "error": f"Job {job.pk} has ended: it is {status}.",
            "code": "wrong_state",
            "fields": {},
        }


class TestMyJobs:
    @pytest.fixture
    def listed(self, api):
        return lambda **options: api.post("/api/myjobs", options)

    def test_of_all_clients_newest_first(self, listed, machine):
        backup = JobFactory(client=machine, status="completed")
        restore = JobFactory(client=machine, type="restore", level=None, parent=backup)
        other = JobFactory(client=ClientFactory(account=machine.account))
        JobFactory()

        answer = listed()

        assert job_ids(answer) == [other.pk, restore.pk, backup.pk]
        assert {name: answer.json()[name] for name in ("total", "limit", "offset")} == {
            "total": 3,
            "limit": 50,
            "offset": 0,
        }

    def test_of_a_subusers_clients_only(self, listed, machine):
        granted = ClientFactory(account=machine.account)
        sam = SubuserFactory(account=machine.account, login="sam")
        sam.grants.create(client=granted)
        job = JobFactory(client=granted)
        JobFactory(client=machine)

        assert job_ids(listed(subuser="sam")) == [job.pk]

    def test_a_restore_from_a_client_that_is_not_granted_is_not_listed(self, listed, machine):
        granted = ClientFactory(account=machine.account)
        sam = SubuserFactory(account=machine.account, login="sam")
        sam.grants.create(client=granted)
        secret = JobFactory(client=machine, status="completed")
        JobFactory(client=granted, type="restore", level=None, parent=secret)

        assert job_ids(listed(subuser="sam")) == []

    def test_an_unknown_subuser_is_named(self, listed):
        answer = listed(subuser="nobody")

        assert answer.status_code == 404
        assert answer.json()["error"] == "There is no subuser 'nobody'."

    @pytest.mark.parametrize("status", Job.Status.values)
    def test_of_one_status(self, listed, machine, status):
        jobs = {
            each: JobFactory(client=ClientFactory(account=machine.account), status=each)
            for each in Job.Status.values
        }

        assert job_ids(listed(status=status)) == [jobs[status].pk]

    def test_an_unknown_status_is_refused_naming_those_there_are(self, listed):
        answer = listed(status="done")

        assert answer.status_code == 400
        known = "queued, running, canceling, completed, warnings, failed, canceled"
        assert answer.json()["fields"] == {
            "status": [f"'done' is not a status: choose one of {known}."]
        }

    def test_a_limit_above_the_most_is_the_most(self, listed):
        answer = listed(limit=10_000, offset=3)

        assert (answer.json()["limit"], answer.json()["offset"]) == (500, 3)

    def test_what_is_empty_is_as_what_is_missing(self, listed, machine):
        job = JobFactory(client=machine)

        answer = listed(subuser="", status="", limit="", offset="")

        assert job_ids(answer) == [job.pk]
        assert answer.json()["limit"] == 50

    def test_takes_the_same_queries_for_one_and_for_three(self, listed, machine):
        JobFactory(client=machine)
        one = queries_of(listed)
        for _ in range(2):
            JobFactory(client=ClientFactory(account=machine.account))

        assert queries_of(listed) == one


class TestBackupNow:
    @pytest.fixture(autouse=True)
    def engine(self):
        with folder_engine():
            yield

    @pytest.mark.parametrize(
        ("level", "stored"),
        [("full", "Full"), ("I", "Incremental"), ("dIFFERENTIAL", "Differential")],
    )
    def test_is_queued_at_this_level(self, api, machine, level, stored):
        answer = api.post(f"/api/backupnow/{machine.ip}/{level}")

        job = Job.objects.get()
        assert (answer.status_code, answer.json()) == (200, {"job_id": job.pk})
        assert (job.client, job.level, job.status) == (machine, stored, "queued")
        assert job.requested_by == machine.account.email

    def test_another_fileset_and_pool_can_be_named(self, api, machine):
        fileset = FilesetFactory(account=machine.account, name="etc")
        pool = PoolFactory(account=machine.account, name="daily")

        api.post(f"/api/backupnow/{machine.ip}/full", {"fileset": "etc", "pool": "daily"})

        job = Job.objects.get()
        assert (job.fileset, job.pool, job.storage) == (fileset, pool, pool.storage)

    @pytest.mark.parametrize(
        ("kind", "factory"), [("fileset", FilesetFactory), ("pool", PoolFactory)]
    )
    def test_another_accounts_are_unknown(self, api, machine, kind, factory):
        factory(name="theirs")

        answer = api.post(f"/api/backupnow/{machine.ip}/full", {kind: "theirs"})

        assert answer.status_code == 404
        assert answer.json()["error"] == f"There is no {kind} named 'theirs'."
        assert not Job.objects.exists()

    def test_an_unknown_level_is_refused_naming_those_there_are(self, api, machine):
        answer = api.post(f"/api/backupnow/{machine.ip}/weekly")

        assert answer.status_code == 400
        known = "full, incremental or differential, or F, I or D"
        assert answer.json()["fields"] == {
            "level": [f"Unknown level 'weekly': it must be {known}."]
        }

    @pytest.mark.parametrize("status", ["queued", "running", "canceling"])
    def test_a_second_one_is_refused_naming_the_first(self, api, machine, status):
        first = JobFactory(client=machine, status=status)

        answer = api.post(f"/api/backupnow/{machine.ip}/full")

        assert answer.status_code == 409
        assert f"job {first.pk} is {status}" in answer.json()["error"]
        assert Job.objects.count() == 1


class TestJobLog:
    def test_oldest_first(self, api, machine):
        job = JobFactory(client=machine)
        JobLog.objects.create(job=job, message="It begins.")
        JobLog.objects.create(job=job, level="warning", message="'/a' changed.")
        JobLog.objects.update(time=NOON)
        JobLog.objects.create(job=JobFactory(client=machine, type="restore"), message="Other.")

        answer = api.post(f"/api/joblog/{job.pk}")

        assert answer.status_code == 200
        assert answer.json() == {
            "job_id": job.pk,
            "log": [
                {"time": "2030-01-15 12:00:00", "level": "info", "message": "It begins."},
                {"time": "2030-01-15 12:00:00", "level": "warning", "message": "'/a' changed."},
            ],
        }

    def test_takes_the_same_queries_for_one_and_for_three(self, api, machine):
        job = JobFactory(client=machine)
        JobLog.objects.create(job=job, message="1")
        one = queries_of(lambda: api.post(f"/api/joblog/{job.pk}"))
        JobLog.objects.create(job=job, message="2")
        JobLog.objects.create(job=job, message="3")

        assert queries_of(lambda: api.post(f"/api/joblog/{job.pk}")) == one
