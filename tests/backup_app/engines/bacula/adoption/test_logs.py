"""The log of a job of years ago, read for the first time."""

import datetime as dt

import pytest
from django.db import connections

from backup_app.jobs.adoption.logs import bring_log
from backup_app.jobs.adoption.watch import adopt_from

from ....support.api_client import client_of
from ..support.adopting import BEGIN, backup, running
from ..support.forged_jobs import execute

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine")]
REFUSED = "one-fd JobId {}: Fatal error: job.c:1 Nobody listens.\n"


@pytest.fixture
def job(machine, engine):
    """A job that failed before it was adopted."""
    number = backup(machine, jobstatus="f")
    for text in ("test-dir JobId {}: Start Backup\n", REFUSED):
        query = "INSERT INTO log (jobid, time, logtext) VALUES (%s, %s, %s)"
        execute(query, number, BEGIN, text.format(number))
    adopt_from(engine)
    return machine.jobs.get()


@pytest.fixture
def read(job):
    """A function that reads the log by the API."""
    api = client_of(job.account)
    return lambda: api.post(f"/api/joblog/{job.pk}").json()["log"]


def test_it_is_copied_once(read, job):
    began = BEGIN.strftime("%Y-%m-%d %H:%M:%S")
    wanted = [
        {"time": began, "level": "info", "message": "test-dir: Start Backup"},
        {
            "time": began,
            "level": "error",
            "message": "one-fd: Fatal error: job.c:1 Nobody listens.",
        },
    ]

    assert read() == wanted
    assert read() == wanted
    assert job.log.get(level="error").time == BEGIN.replace(tzinfo=dt.UTC)


def test_the_admin_shows_it(client, staff, job):
    page = client.get(f"/admin/backup_app/job/{job.pk}/change/").content.decode()

    assert "Nobody listens." in page


def test_that_of_one_that_runs_is_followed_instead(machine, engine):
    number = running(machine)
    execute("INSERT INTO log (jobid, logtext) VALUES (%s, 'x')", number)
    adopt_from(engine)
    job = machine.jobs.get()

    bring_log(job)

    assert not job.log.exists()


def test_without_the_catalog_it_is_empty_for_now(read, monkeypatch):
    monkeypatch.setitem(connections["bacula"].settings_dict, "PORT", "1")
    connections["bacula"].close()
    assert read() == []

    monkeypatch.undo()
    connections["bacula"].close()
    assert len(read()) == 2
