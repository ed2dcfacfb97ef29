"""Operations 1, 7, 9, 21, 23 and 35 as a caller sees them."""

from datetime import UTC, datetime, timedelta

import pytest

from backup_app.models import Client, Job, JobLog

from .catalogs import catalogued
from .client import client_of, queries_of
from .engines import folder_engine
from .factories import ClientFactory, FilesetFactory, JobFactory, PoolFactory, SubuserFactory

pytestmark = pytest.mark.django_db
NOON = datetime(2030, 1, 15, 12, tzinfo=UTC)


@pytest.fixture
def machine():
    return ClientFactory(name="web1")


@pytest.fixture
def api(machine):
    return client_of(machine.account)


def ids(response):
    assert response.status_code == 200, response.content
    return [job["job_id"] for job in response.json()["jobs"]]


class TestBackups:
    @pytest.fixture
    def listed(self, api, machine):
        return lambda **options: api.post(f"/api/jobs/{machine.ip}", options)

    @pytest.fixture
    def three(self, machine):
        """Three backups that started at noon, and one and two hours later."""
        return [
            JobFactory(client=machine, status="completed", started=NOON + timedelta(hours=hour))
            for hour in range(3)
        ]

    def test_newest_first_with_all_that_is_known(self, listed, machine, settings):
        settings.TIME_ZONE = "UTC"
        old = JobFactory(
            client=machine, status="completed", started=NOON, ended=NOON, files=3, bytes=7
        )
        new = JobFactory(client=machine, status="running", bytes_expected=200, bytes_done=50)
        Job.objects.update(created=NOON)

        answer = listed().json()

        assert answer["total"] == 2
        assert [job["job_id"] for job in answer["jobs"]] == [new.pk, old.pk]
        assert answer["jobs"][0]["progress"] == {"files": 0, "bytes": 50, "percent": 25}
        assert answer["jobs"][1] == {
            "job_id": old.pk,
            "name": "web1",
            "type": "backup",
            "level": "Full",
            "status": "completed",
            "client": "web1",
            "client_ip": machine.ip,
            "fileset": machine.fileset.name,
            "pool": machine.pool.name,
            "zone": machine.zone.name,
            "created": "2030-01-15 12:00:00",
            "started": "2030-01-15 12:00:00",
            "ended": "2030-01-15 12:00:00",
            "files": 3,
            "bytes": 7,
            "stored_bytes": 0,
            "errors": 0,
            "progress": {"files": 0, "bytes": 0, "percent": 100},
            "parent_job_id": None,
            "message": "",
        }

    def test_of_this_client_and_only_backups(self, listed, machine):
        backup = JobFactory(client=machine, status="completed")
        JobFactory(client=machine, type="restore", level=None, parent=backup)
        JobFactory(client=ClientFactory(account=machine.account))

        assert ids(listed()) == [backup.pk]

    @pytest.mark.parametrize(
        ("period", "places"),
        [
            ({}, [2, 1, 0]),
            ({"from": "2030-01-15 13:00:00"}, [2, 1]),
            ({"from": "2030-01-15 13:00:01"}, [2]),
            ({"to": "2030-01-15 13:00:00"}, [1, 0]),
            ({"to": "2030-01-15 12:59:59"}, [0]),
            ({"from": "2030-01-15 13:00:00", "to": "2030-01-15 13:00:00"}, [1]),
            ({"from": "2031-01-01 00:00:00"}, []),
        ],
    )
    def test_within_a_period(self, listed, three, period, places):
        assert ids(listed(**period)) == [three[place].pk for place in places]

    def test_the_last_second_of_a_period_belongs_to_it(self, listed, machine):
        job = JobFactory(client=machine, started=NOON + timedelta(microseconds=700_000))

        assert ids(listed(**{"from": "2030-01-15 12:00:00", "to": "2030-01-15 12:00:00"})) == [
            job.pk
        ]

    def test_times_are_the_servers(self, listed, machine, settings):
        settings.TIME_ZONE = "Asia/Tokyo"
        job = JobFactory(client=machine, started=NOON)

        answer = listed(**{"from": "2030-01-15 21:00:00", "to": "2030-01-15 21:00:00"})

        assert ids(answer) == [job.pk]
        assert answer.json()["jobs"][0]["started"] == "2030-01-15 21:00:00"

    @pytest.mark.parametrize("name", ["from", "to"])
    @pytest.mark.parametrize(
        "value", ["", "today", "2030-01-15", "2030-02-30 00:00:00", "2030-01-15T12:00:00", "1"]
    )
    def test_a_malformed_time_is_refused(self, listed, name, value):
        answer = listed(**{name: value})

        assert answer.status_code == 400
        assert answer.json()["fields"] == {
            name: [f"'{value}' is not a date-time such as 2030-01-31 23:59:59."]
        }

    def test_a_reversed_period_is_refused(self, listed):
        answer = listed(**{"from": "2030-01-15 12:00:01", "to": "2030-01-15 12:00:00"})

        assert answer.status_code == 400
        assert answer.json()["fields"] == {"to": ["The period ends before it begins."]}

    def test_with_a_path_only_those_that_have_it(self, listed, machine):
        full = catalogued(machine, {b"/etc/a": "f", b"/etc/b": "f"})
        without = catalogued(machine, {b"/etc/a": "-"}, full)
        JobFactory(client=machine, status="failed")

        assert ids(listed(path="/etc/a")) == [full.pk]
        assert ids(listed(path="/etc/")) == [without.pk, full.pk]
        assert ids(listed(path="/none")) == []
        assert listed(path="/none").json()["total"] == 0

    def test_a_path_and_a_period_and_a_page_at_once(self, listed, machine):
        jobs = [catalogued(machine, {b"/a": "f"}, started=NOON) for _ in range(3)]
        catalogued(machine, {b"/a": "f"}, started=NOON - timedelta(days=1))

        answer = listed(path="/a", limit=1, offset=1, **{"from": "2030-01-15 00:00:00"})

        assert ids(answer) == [jobs[1].pk]
        assert answer.json()["total"] == 3

    def test_an_empty_path_is_none(self, listed, machine):
        job = JobFactory(client=machine, status="failed")

        assert ids(listed(path="")) == [job.pk]

    def test_a_path_that_is_not_absolute_is_refused(self, listed):
        assert listed(path="etc").json()["fields"] == {"path": ["'etc' is not an absolute path."]}

    @pytest.mark.parametrize(
        ("options", "places"),
        [({"limit": 1}, [2]), ({"offset": 1}, [1, 0]), ({"limit": 1, "offset": 1}, [1])],
    )
    def test_a_page(self, listed, three, options, places):
        answer = listed(**options)

        assert ids(answer) == [three[place].pk for place in places]
        assert answer.json()["total"] == 3

    def test_a_page_far_behind_the_end_is_empty(self, listed, three):
        answer = listed(limit=2**63 - 1, offset=2**63 - 1)

        assert (ids(answer), answer.json()["total"]) == ([], 3)

    @pytest.mark.parametrize("options", [{"limit": 0}, {"offset": -1}, {"limit": "many"}])
    def test_a_page_that_cannot_be_is_refused(self, listed, options):
        assert listed(**options).status_code == 400

    def test_an_unknown_address_is_named(self, api):
        answer = api.post("/api/jobs/198.51.100.1")

        assert answer.status_code == 404
        assert answer.json() == {
            "error": "There is no client with the address '198.51.100.1'.",
            "code": "not_found",
            "fields": {},
        }

    @pytest.mark.parametrize("options", [{}, {"path": "/a"}])
    def test_takes_the_same_queries_for_one_and_for_three(self, listed, machine, options):
        catalogued(machine, {b"/a": "f"})
        one = queries_of(lambda: listed(**options))
        for _ in range(2):
            catalogued(machine, {b"/a": "f"})

        assert queries_of(lambda: listed(**options)) == one


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

        assert ids(answer) == [other.pk, restore.pk, backup.pk]
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

        assert ids(listed(subuser="sam")) == [job.pk]

    def test_a_restore_from_a_client_that_is_not_granted_is_not_listed(self, listed, machine):
        granted = ClientFactory(account=machine.account)
        sam = SubuserFactory(account=machine.account, login="sam")
        sam.grants.create(client=granted)
        secret = JobFactory(client=machine, status="completed")
        JobFactory(client=granted, type="restore", level=None, parent=secret)

        assert ids(listed(subuser="sam")) == []

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

        assert ids(listed(status=status)) == [jobs[status].pk]

    def test_an_unknown_status_is_refused_naming_those_there_are(self, listed):
        answer = listed(status="done")

        assert answer.status_code == 400
        known = "queued, running, canceling, completed, warnings, failed, canceled"
        assert answer.json()["fields"] == {
            "status": [f"There is no status 'done': there are {known}."]
        }

    def test_a_limit_above_the_most_is_the_most(self, listed):
        answer = listed(limit=10_000, offset=3)

        assert (answer.json()["limit"], answer.json()["offset"]) == (500, 3)

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
        known = "full, incremental and differential, or F, I and D"
        assert answer.json()["fields"] == {
            "level": [f"There is no level 'weekly': there are {known}."]
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
