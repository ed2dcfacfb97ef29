"""Scheduled backups that the Director starts itself, where its operator wants that."""

import pytest
from django.utils import timezone

from backup_app.engines import get_engine
from backup_app.engines.bacula import names
from backup_app.engines.bacula.config import schedules
from backup_app.jobs import scheduler
from backup_app.jobs.adoption import watch
from backup_app.models import Client, Job
from backup_app.services import clients

from ....support.factories import PoolFactory
from ..conftest import ENGINE

LONG_AGO = timezone.now() - timezone.timedelta(days=40)


@pytest.fixture
def keeping(bacula, settings):
    """A function that lets the Director start backups itself, and all that it is told be new."""

    def keep(**options):
        values = bacula.options(schedules=True, **options)
        settings.BACKUP_ENGINES = {"default": {"BACKEND": ENGINE, "OPTIONS": values}}
        watch.keep_schedules()
        return get_engine()

    schedules._told.clear()
    return keep


@pytest.fixture
def client(bacula_client):
    return bacula_client(schedule="30 2 * * 1-5", scheduled=LONG_AGO)


def planned(bacula, client):
    """Return the lines by which the Director says when it starts a client's backup."""
    name = names.for_client(get_engine(), "backup", client)
    said = bacula.bconsole(f"status schedule days=8 job={name}").splitlines()
    return [line for line in said if name in line and not line.startswith("status schedule")]


def test_the_director_starts_the_backups_of_a_schedule(bacula, client, keeping):
    engine = keeping()

    assert engine.starts_scheduled(client)
    lines = planned(bacula, client)
    assert lines
    assert all("02:30" in line and "Incremental" in line for line in lines)
    assert not any(day in line for line in lines for day in ("Sat", "Sun"))


def test_this_service_leaves_them_to_it(client, keeping):
    keeping()

    assert scheduler.start_due() == 0

    client.refresh_from_db()
    assert client.scheduled > LONG_AGO
    assert not Job.objects.exists()


def test_what_the_director_starts_is_ours_to_remove(bacula, client, keeping, own):
    """A job that a schedule starts differs from what a console starts in nothing that is stored."""
    engine = keeping()
    bacula.bconsole(f"run job={names.for_client(engine, 'backup', client)} yes")
    ((number,),) = bacula.query("SELECT max(jobid) FROM job")
    assert bacula.wait(int(number)) == "T"

    while watch.adopt_jobs():  # those of tests before come first, some at once
        pass

    job = Job.objects.get(engine_job_id=number)
    assert (job.status, job.client) == ("completed", client)
    assert (job.fileset, job.pool) == (client.fileset, client.pool)
    engine.remove(job)
    assert bacula.query(f"SELECT 1 FROM job WHERE jobid = {number}") == []  # noqa: S608


def test_a_schedule_of_a_fileset_counts_for_its_clients(bacula, bacula_client, keeping):
    client = bacula_client()
    client.fileset.schedule = "15 3 * * *"
    client.fileset.save()

    assert keeping().starts_scheduled(client)
    assert any("03:15" in line for line in planned(bacula, client))


def test_a_schedule_that_is_changed_is_told(bacula, client, keeping):
    engine = keeping()
    Client.objects.update(schedule="45 4 * * *")
    client.refresh_from_db()
    assert not engine.starts_scheduled(client)

    watch.keep_schedules()

    assert engine.starts_scheduled(client)
    lines = planned(bacula, client)
    assert any("04:45" in line for line in lines)
    assert not any("02:30" in line for line in lines)


def test_what_has_not_changed_is_not_told_again(bacula, client, keeping):
    keeping()
    bacula.director.kill()

    watch.keep_schedules()
    schedules._told.clear()
    watch.keep_schedules()


def test_a_deleted_client_has_no_schedule_any_more(bacula, client, keeping):
    engine = keeping()

    clients.delete(client)
    watch.keep_schedules()

    assert not engine.starts_scheduled(client)
    assert planned(bacula, client) == []
    with engine.director() as director:
        director.require("job", names.for_client(engine, "restore", client))


def test_a_client_that_is_another_engines_now_has_none_either(bacula, client, keeping, settings):
    engine = keeping()
    settings.BACKUP_ENGINES["other"] = {"BACKEND": "backup_app.engines.archive.ArchiveEngine"}
    pool = PoolFactory(account=client.account, storage__zone__engine="other")

    Client.objects.update(zone=pool.storage.zone, pool=pool)
    watch.keep_schedules()

    assert planned(bacula, client) == []
    with engine.director() as director:
        director.require("job", names.for_client(engine, "restore", client))


def test_an_operator_who_does_not_want_it_any_more_gets_none(bacula, client, keeping, settings):
    keeping()

    settings.BACKUP_ENGINES["default"]["OPTIONS"]["schedules"] = False
    schedules._told.clear()
    watch.keep_schedules()

    assert planned(bacula, client) == []
    assert not get_engine().starts_scheduled(client)


def test_unless_it_is_wanted_nothing_is_told(bacula, client):
    schedules._told.clear()

    watch.keep_schedules()

    assert not get_engine().starts_scheduled(client)
    assert list(bacula.conf_d.glob("*.conf")) == []


@pytest.mark.parametrize(
    ("expression", "options"),
    [("0 0 13 * 5", {}), ("30 2 * * *", {"time_zone": "Asia/Tokyo"}), ("", {})],
)
def test_what_bacula_cannot_say_stays_with_this_service(client, keeping, expression, options):
    Client.objects.update(schedule=expression)
    client.refresh_from_db()

    engine = keeping(**options)

    assert not engine.starts_scheduled(client)


def test_schedules_reach_the_director_once_it_is_reachable_again(bacula, client, keeping, caplog):
    bacula.director.kill()
    engine = keeping()
    assert "could not store the schedules of its clients" in caplog.text
    assert not engine.starts_scheduled(client)
    bacula.director.start()

    watch.keep_schedules()

    assert engine.starts_scheduled(client)
