"""Operation 1 as a caller sees it."""

from datetime import UTC, datetime, timedelta

import pytest

from backup_app.models import Job

from ...support.api_client import job_ids, queries_of
from ...support.catalog_rows import catalogued
from ...support.factories import ClientFactory, JobFactory

pytestmark = pytest.mark.django_db
NOON = datetime(2030, 1, 15, 12, tzinfo=UTC)


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

        assert job_ids(listed()) == [backup.pk]

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
        assert job_ids(listed(**period)) == [three[place].pk for place in places]

    def test_the_last_second_of_a_period_belongs_to_it(self, listed, machine):
        job = JobFactory(client=machine, started=NOON + timedelta(microseconds=700_000))

        assert job_ids(listed(**{"from": "2030-01-15 12:00:00", "to": "2030-01-15 12:00:00"})) == [
            job.pk
        ]

    def test_times_are_the_servers(self, listed, machine, settings):
        settings.TIME_ZONE = "Asia/Tokyo"
        job = JobFactory(client=machine, started=NOON)

        answer = listed(**{"from": "2030-01-15 21:00:00", "to": "2030-01-15 21:00:00"})

        assert job_ids(answer) == [job.pk]
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

        assert job_ids(listed(path="/etc/a")) == [full.pk]
        assert job_ids(listed(path="/etc/")) == [without.pk, full.pk]
        assert job_ids(listed(path="/none")) == []
        assert listed(path="/none").json()["total"] == 0

    def test_a_path_and_a_period_and_a_page_at_once(self, listed, machine):
        jobs = [catalogued(machine, {b"/a": "f"}, started=NOON) for _ in range(3)]
        catalogued(machine, {b"/a": "f"}, started=NOON - timedelta(days=1))

        answer = listed(path="/a", limit=1, offset=1, **{"from": "2030-01-15 00:00:00"})

        assert job_ids(answer) == [jobs[1].pk]
        assert answer.json()["total"] == 3

    def test_an_empty_path_is_none(self, listed, machine):
        job = JobFactory(client=machine, status="failed")

        assert job_ids(listed(path="")) == [job.pk]

    def test_a_path_that_is_not_absolute_is_refused(self, listed):
        assert listed(path="etc").json()["fields"] == {"path": ["'etc' is not an absolute path."]}

    @pytest.mark.parametrize(
        ("options", "places"),
        [({"limit": 1}, [2]), ({"offset": 1}, [1, 0]), ({"limit": 1, "offset": 1}, [1])],
    )
    def test_a_page(self, listed, three, options, places):
        answer = listed(**options)

        assert job_ids(answer) == [three[place].pk for place in places]
        assert answer.json()["total"] == 3

    def test_a_page_far_behind_the_end_is_empty(self, listed, three):
        answer = listed(limit=2**63 - 1, offset=2**63 - 1)

        assert (job_ids(answer), answer.json()["total"]) == ([], 3)

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
