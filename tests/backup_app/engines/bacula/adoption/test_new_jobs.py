"""Jobs that others start in Bacula appear here by themselves."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext

from backup_app.exceptions import EngineUnreachable
from backup_app.jobs import states
from backup_app.jobs.adoption import watch
from backup_app.jobs.adoption.history import adopt_history
from backup_app.jobs.adoption.records import Known
from backup_app.jobs.adoption.watch import adopt_from
from backup_app.models import Job
from backup_app.services.adoption import Report

from ....support.factories import JobFactory, ZoneFactory
from ..support.adopting import (
    add_fileset_and_pool,
    adopted_client,
    backup,
    chains,
    history,
    numbers,
    running,
)
from ..support.forged_jobs import execute

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine")]


@pytest.fixture(autouse=True)
def recorded(monkeypatch):
    """The jobs whose mailboxes were looked for."""
    found = []
    monkeypatch.setattr("backup_app.services.files.mailboxes.record", found.append)
    return found


@pytest.fixture
def machine(engine):
    return add_fileset_and_pool(adopted_client(ZoneFactory(engine="north"), name="web1"))


def test_a_job_that_runs_appears(machine):
    number = running(machine)

    assert watch.adopt_jobs() == 1

    job = Job.objects.get()
    assert (job.engine_job_id, job.status, job.worker) == (number, "running", "")
    assert (job.seen, job.ended, job.engine_state) == (None, None, {"adopted": True})
    assert states.resume(job.pk, "me")


def test_one_that_has_ended_appears_whole(machine, recorded):
    found = history(machine, "FI")

    assert watch.adopt_jobs() == 2

    assert numbers() == found
    assert chains() == {found[0]: found[:1], found[1]: found}
    assert [job.engine_job_id for job in recorded] == found


def test_what_is_here_is_not_asked_for_again(machine, engine):
    history(machine, "FI")
    watch.adopt_jobs()

    with (
        CaptureQueriesContext(connection) as ours,
        CaptureQueriesContext(connections["bacula"]) as bacula,
    ):
        assert watch.adopt_jobs() == 0

    assert (len(ours), len(bacula)) == (4, 1)


def test_without_clients_bacula_is_not_asked(catalog):
    with CaptureQueriesContext(connections[catalog]) as queries:
        assert watch.adopt_jobs() == 0

    assert len(queries) == 0


def test_only_jobs_of_known_clients_appear(machine):
    other = adopted_client(machine.zone)
    backup(other)
    other.delete()

    assert watch.adopt_jobs() == 0


def test_a_client_of_ours_is_known_by_its_number(machine, engine):
    machine.engine_name = f"{engine.prefix}client-{machine.pk}"
    number = backup(machine)
    type(machine).objects.filter(pk=machine.pk).update(engine_name="")

    watch.adopt_jobs()

    assert numbers() == [number]


def test_own_jobs_are_not_adopted(machine, engine):
    running(machine, comment=f"{engine.prefix}job 7")

    assert watch.adopt_jobs() == 0


@pytest.mark.parametrize("letter", "VDC")
def test_jobs_of_other_types_are_not_adopted(machine, letter):
    backup(machine, type=letter)

    assert watch.adopt_jobs() == 0


def test_one_that_waits_in_bacula_has_to_begin_first(machine):
    number = running(machine, filesetid=0)
    assert watch.adopt_jobs() == 0

    execute("UPDATE job SET filesetid = 1 WHERE jobid = %s", number)

    assert watch.adopt_jobs() == 1


def test_while_another_job_of_the_client_is_open_it_waits(machine):
    other = JobFactory(client=machine)
    number = running(machine)
    later = backup(adopted_client(machine.zone))

    watch.adopt_jobs()
    assert set(numbers()) == {None, later}

    Job.objects.filter(pk=other.pk).update(status="canceled")
    watch.adopt_jobs()
    assert set(numbers()) == {None, later, number}


def test_one_that_ended_meanwhile_does_not_wait(machine):
    JobFactory(client=machine, status="running")
    number = backup(machine)

    watch.adopt_jobs()

    assert number in numbers()


def test_what_a_new_one_builds_on_comes_with_it(machine, monkeypatch):
    monkeypatch.setattr("backup_app.engines.bacula.adoption.jobs.MAX_JOBS", 1)
    found = history(machine, "FII")

    assert watch.adopt_jobs() == 3

    assert chains()[found[-1]] == found


def test_an_unreachable_catalog_raises(machine, engine, monkeypatch):
    monkeypatch.setitem(connections["bacula"].settings_dict, "PORT", "1")
    connections["bacula"].close()

    with pytest.raises(EngineUnreachable):
        adopt_from(engine)


@pytest.mark.django_db(transaction=True)
def test_several_workers_make_each_job_once(machine, engine):
    found = history(machine, "FIIDIIFIII")
    open_one = running(machine)
    barrier = Barrier(4)

    def work(number):
        barrier.wait()
        try:
            if number % 2:
                return adopt_from(engine)
            return len(list(adopt_history(Known(engine, [machine]), Report())))
        finally:
            connections.close_all()
            connections["bacula"].close()

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(work, range(4)))
    adopt_from(engine)

    assert sorted(numbers()) == [*found, open_one]
    first, _, _, differential, fifth, sixth, full, *rest = found
    assert chains()[sixth] == [first, differential, fifth, sixth]
    assert chains()[rest[-1]] == [full, *rest]
