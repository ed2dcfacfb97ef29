"""Jobs that Bacula has pruned from its catalog go here as well, but for what others need."""

import pytest

from backup_app.exceptions import WrongState
from backup_app.models import Job
from backup_app.services import downloads

from ....support.factories import JobFactory
from ..support.adopting import adopted_client, backup, forget, history, numbers
from ..support.forged_jobs import execute

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine")]


def test_a_job_that_bacula_has_pruned_goes(adopt, machine):
    first, second = history(machine, "FF")
    adopt()
    forget(first)

    report = adopt()

    assert numbers() == [second]
    assert report.jobs["removed"] == 1


def test_the_last_one_goes_as_well(adopt, machine):
    first, second = history(machine, "FF")
    adopt()
    forget(second)

    adopt()

    assert numbers() == [first]


def test_a_dry_run_removes_nothing(adopt, machine):
    first, second = history(machine, "FF")
    adopt()
    forget(first)

    assert adopt(dry_run=True).jobs["removed"] == 1
    assert numbers() == [first, second]


def test_what_one_that_is_there_builds_on_stays_until_that_goes(adopt, machine):
    first, second, third, other = history(machine, "FIIF")
    adopt()
    forget(first, second)

    report = adopt()

    assert numbers() == [first, second, third, other]
    assert (report.jobs["removed"], report.jobs["purged"]) == (0, 2)
    forget(third)
    assert adopt().jobs["removed"] == 3
    assert numbers() == [other]


def test_what_is_left_of_it_cannot_be_read(adopt, machine, engine):
    first, second = history(machine, "FI")
    adopt()
    forget(first)
    adopt()

    with pytest.raises(WrongState, match="no longer all in Bacula's catalog"):
        engine.list_folder(Job.objects.get(engine_job_id=second), b"/")


def test_a_whole_chain_goes_at_once(adopt, machine, monkeypatch):
    monkeypatch.setattr("backup_app.engines.bacula.catalog.job_history.BATCH", 2)
    *chain, last = history(machine, "FIIIIF")
    adopt()
    forget(*chain)

    assert adopt(dry_run=True).jobs["removed"] == 5
    assert adopt().jobs["removed"] == 5
    assert numbers() == [last]


@pytest.mark.parametrize("use", ["read", "download"])
def test_what_is_in_use_stays_for_now(adopt, machine, use):
    first, second, _ = history(machine, "FIF")
    adopt()
    job = Job.objects.get(engine_job_id=second)
    if use == "read":
        JobFactory(client=machine, type="restore", parent=job)
    else:
        downloads.hold(job)
    forget(first, second)

    report = adopt()

    assert numbers()[:2] == [first, second]
    assert report.jobs["removed"] == 0


def test_our_own_failures_stay(adopt, machine):
    own = {"client": machine, "engine": "north", "engine_job_id": 2**40}
    failed = JobFactory(status="failed", **own)
    backup(machine)

    adopt()

    assert Job.objects.filter(pk=failed.pk).exists()


def test_our_own_good_ones_go(adopt, machine):
    number = backup(machine)
    adopt()
    own = {"client": machine, "engine": "north", "engine_job_id": 2**30}
    JobFactory(status="completed", **own)

    adopt()

    assert numbers() == [number]


def test_jobs_of_others_stay(adopt, machine):
    other = adopted_client(machine.zone)
    number = backup(other)
    adopt(machine, other)
    backup(machine)
    forget(number)

    adopt(machine)

    assert number in numbers()


def test_a_strange_catalog_removes_nothing(adopt, machine):
    found = history(machine, "FF")
    adopt()
    forget(*found)

    report = adopt()

    assert numbers() == found
    (problem,) = report.problems
    assert "The catalog 'bacula' has none of the newest 2 jobs" in problem


def test_purged_files_are_noted(adopt, machine):
    number = backup(machine)
    adopt()
    execute("UPDATE job SET purgedfiles = 1 WHERE jobid = %s", number)

    report = adopt()

    assert Job.objects.get().engine_state == {"adopted": True, "purged": True}
    assert report.jobs["purged"] == 1
    assert adopt().jobs["purged"] == 0
