"""While the Director or its catalog is away all else goes on, and all of it once they are back."""

import contextlib

import pytest

from backup_app.engines import get_engine
from backup_app.engines.bacula.director.console import Console
from backup_app.exceptions import EngineUnreachable
from backup_app.jobs import control, execute
from backup_app.models import Job

from ....support.api_client import client_of, refused
from ..conftest import ENGINE
from ..support.installation import sql
from ..support.jobs import finish, log_text

pytestmark = pytest.mark.django_db
ANSWER_SECONDS = 1


@pytest.fixture
def bacula(bacula, settings):
    """The same, of which an answer is expected soon."""
    options = bacula.options(answer_seconds=ANSWER_SECONDS)
    settings.BACKUP_ENGINES = {"default": {"BACKEND": ENGINE, "OPTIONS": options}}
    return bacula


@pytest.fixture
def client(bacula_client, own):
    return bacula_client(own, name="web1")


@pytest.fixture
def backup(client):
    return finish(control.start_backup(client, level="full", by="test"))


@pytest.fixture
def failed_seconds(monkeypatch):
    """How long each log-in that failed was allowed to take."""
    connect, failed = Console._connect, []

    def watched(self, seconds):
        try:
            connect(self, seconds)
        except EngineUnreachable:
            failed.append(seconds)
            raise

    monkeypatch.setattr(Console, "_connect", watched)
    return failed


@pytest.fixture
def api(backup, failed_seconds):
    """A function that calls an operation by what stands after ``/api/``.

    While it answers, failed log-ins at the Director take no more time than one answer may.
    """
    caller = client_of(backup.account)

    def call(place, values=None):
        place = place.format(job=backup.pk, ip=backup.client.ip)
        ask = caller.get if values is None else caller.post
        failed_seconds.clear()
        response = ask(f"/api/{place}", values)
        assert sum(failed_seconds) <= ANSWER_SECONDS, place
        return response

    return call


@contextlib.contextmanager
def director_down(bacula):
    bacula.director.stop()
    try:
        yield
    finally:
        bacula.director.start()


@contextlib.contextmanager
def director_killed(bacula):
    bacula.director.kill()
    try:
        yield
    finally:
        bacula.director.start()


@contextlib.contextmanager
def director_hangs(bacula):
    with bacula.director.stopped():
        yield


@contextlib.contextmanager
def catalog_down(bacula):
    """Let the catalog's database be closed to everybody."""
    name = f'DATABASE "{bacula.database}"'
    ends = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    sql(f"ALTER {name} ALLOW_CONNECTIONS false", f"{ends} WHERE datname = '{bacula.database}'")
    try:
        yield
    finally:
        sql(f"ALTER {name} ALLOW_CONNECTIONS true")


OF_THE_DIRECTOR = {"run/{ip}": {"cmd": "hostname"}}
OF_THE_CATALOG = {
    "jobs/{ip}": {"path": "/etc"},
    "files/{job}": {"path": "/"},
    "nodes/{job}/1": {},
    "restore/{job}/{ip}": {"files": ["/"]},
    "restorenodes/{job}/{ip}": {"home": "/", "nodes": [1]},
    "restoremysql/{job}/shop": {},
    "restoretree/{ip}": {"name": "/", "home": "/"},
}
OF_NEITHER = {
    "jobs/{ip}": {},
    "status/{job}": None,
    "joblog/{job}": {},
    "myjobs": {},
    "servers": {},
    "storages": {},
    "getbaaszones": None,
    "supportedsystems": {},
    "system/{ip}": {},
    "getclientnamebyip/{ip}": {},
    "backupoptions/{ip}/unix": {},
    "getconfig/{ip}/unix": {},
    "msexchange/{ip}/search": {"search": "a"},
}
GONE = [director_down, director_hangs]


@pytest.mark.parametrize("away", GONE)
def test_backups_can_be_browsed_while_the_director_is_unreachable(bacula, api, own, away):
    with away(bacula):
        for place, values in OF_THE_DIRECTOR.items():
            assert refused(api(place, values), 503).startswith("The Director at 127.0.0.1:")
        for place, values in OF_NEITHER.items():
            assert api(place, values).status_code == 200, place
        assert api("jobs/{ip}", {"path": str(own)}).json()["total"] == 1
        assert api("files/{job}", {"path": str(own)}).json()["total"] == 2
        assert api("restoretree/{ip}", {"name": str(own), "home": "/"}).status_code == 200
        assert api("restore/{job}/{ip}", {"files": [str(own)]}).status_code == 200

    assert api("run/{ip}", {"cmd": "hostname"}).status_code in {200, 503}


def test_own_records_are_served_while_the_catalog_is_unreachable(bacula, api, own):
    with catalog_down(bacula):
        for place, values in OF_THE_CATALOG.items():
            said = refused(api(place, values), 503)
            assert said.startswith("The catalog 'bacula' cannot be reached: "), place
        for place, values in OF_THE_DIRECTOR.items():
            assert refused(api(place, values), 503)
        for place, values in OF_NEITHER.items():
            assert api(place, values).status_code == 200, place

    assert api("files/{job}", {"path": str(own)}).json()["total"] == 2


def test_a_director_without_its_catalog_is_unreachable(bacula, director):
    director.console.seconds = 30
    with (
        catalog_down(bacula),
        pytest.raises(EngineUnreachable, match="Could not open catalog database"),
    ):
        director.ask("list jobs")


@pytest.mark.parametrize("away", [*GONE, catalog_down])
def test_a_backup_started_during_an_outage_waits_and_is_made(bacula, client, away):
    job = control.start_backup(client, level="full", by="test")
    with away(bacula):
        execute.run(job.pk)
        job.refresh_from_db()
        assert (job.status, job.worker, job.engine_job_id) == ("running", "", None)

    job = finish(job)

    assert job.status == "completed", log_text(job)
    assert "The job waits for up to 15 seconds." in log_text(job)


@pytest.mark.parametrize("away", [director_killed, director_hangs])
def test_a_backup_canceled_during_an_outage_is_removed_before_the_next(bacula, client, away):
    job = control.start_backup(client, level="full", by="test")
    execute.run(job.pk)
    job.refresh_from_db()
    with away(bacula):
        control.cancel(job, by="test")
        execute.resume(job.pk)

    job = finish(job)
    assert job.status == "canceled", log_text(job)

    assert finish(control.start_backup(client, level="full", by="test")).status == "completed"
    assert bacula.query(f"SELECT jobid FROM job WHERE jobid = {job.engine_job_id}") == []  # noqa: S608


@pytest.mark.parametrize("away", [*GONE, catalog_down])
def test_no_backup_is_removed_during_an_outage(bacula, backup, away):
    with away(bacula), pytest.raises(EngineUnreachable):
        get_engine().remove(Job.objects.get(pk=backup.pk))

    assert Job.objects.filter(pk=backup.pk).exists()
    get_engine().remove(backup)
    assert bacula.query(f"SELECT 1 FROM job WHERE jobid = {backup.engine_job_id}") == []  # noqa: S608


def test_a_wrong_password_is_reported(bacula, client, backup, api, settings):
    options = bacula.options(password="another")
    settings.BACKUP_ENGINES = {"default": {"BACKEND": ENGINE, "OPTIONS": options}}

    assert "rejected the console's password: 1999 Authorization failed" in refused(
        api("run/{ip}", {"cmd": "hostname"}), 502
    )
    job = finish(control.start_backup(client, level="full", by="test"))
    assert job.status == "failed"
    assert "rejected the console's password: 1999 Authorization failed" in job.message
    assert api("files/{job}", {"path": "/"}).status_code == 200


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"password": "another"}, "1999 Authorization failed"),
        ({"tls_ca": "/none"}, "offers no TLS with certificates"),
    ],
)
def test_a_job_waits_while_the_director_and_the_service_disagree(
    bacula, client, settings, change, words
):
    job = control.start_backup(client, level="full", by="test")
    execute.run(job.pk)
    known = settings.BACKUP_ENGINES
    options = bacula.options(**change)
    settings.BACKUP_ENGINES = {"default": {"BACKEND": ENGINE, "OPTIONS": options}}
    execute.resume(job.pk)

    settings.BACKUP_ENGINES = known
    job = finish(job)

    assert job.status == "completed", log_text(job)
    assert words in log_text(job)


def test_a_catalog_of_an_unknown_version_is_reported(bacula, api, newer_tables):
    for place, values in OF_THE_CATALOG.items():
        assert "has tables of version 1027: " in refused(api(place, values), 502), place
    for place, values in OF_NEITHER.items():
        assert api(place, values).status_code == 200, place

    newer_tables()
    assert api("files/{job}", {"path": "/"}).status_code == 200
