"""The rows of Bacula's catalog, and what is said when they cannot be read."""

import datetime as dt
import secrets
from zoneinfo import ZoneInfo

import pytest
from django.db import connections

from backup_app.engines.bacula import BaculaEngine
from backup_app.engines.bacula.catalog.records import Catalog, is_id
from backup_app.exceptions import EngineError, EngineUnreachable
from tests.prerequisites import only_on

from ..support.forged_jobs import execute, forged_job

pytestmark = pytest.mark.django_db
BERLIN = ZoneInfo("Europe/Berlin")


@pytest.fixture
def rows(catalog):
    return Catalog(catalog, BERLIN)


@pytest.fixture
def changed(catalog, rows):
    """A function that changes how the catalog is connected to, until the test is over."""
    connection = connections[catalog]
    kept = connection.settings_dict.copy()

    def change(**values):
        connection.close()
        connection.settings_dict.update(values)
        return rows

    yield change
    connection.close()
    connection.settings_dict.update(kept)


def test_a_job_is_described(rows):
    comment = secrets.token_hex()
    job_id = forged_job(
        client="cli-fd",
        fileset="fs",
        pool="po",
        name="nightly",
        level="I",
        schedtime="2024-07-01 12:00:00",
        starttime="2024-07-01 12:00:05",
        endtime="2024-07-01 12:01:00",
        jobfiles=3,
        jobbytes=2**40,
        readbytes=2**41,
        joberrors=1,
        hascache=1,
        comment=comment,
    )

    found = rows.job(job_id)

    assert (found.job_id, found.name, found.comment) == (job_id, "nightly", comment)
    assert (found.type, found.level, found.status) == ("B", "I", "T")
    assert (found.client, found.fileset, found.pool) == ("cli-fd", "fs", "po")
    assert found.created == dt.datetime(2024, 7, 1, 10, 0, tzinfo=dt.UTC)
    assert (found.started, found.ended) == (
        dt.datetime(2024, 7, 1, 10, 0, 5, tzinfo=dt.UTC),
        dt.datetime(2024, 7, 1, 10, 1, tzinfo=dt.UTC),
    )
    assert (found.files, found.bytes, found.read_bytes, found.errors) == (3, 2**40, 2**41, 1)
    assert (found.is_purged, found.has_cache) == (False, True)


def test_a_job_without_anything_is_a_job(rows):
    empty = dict.fromkeys(("clientid", "poolid", "filesetid", "jobfiles", "jobbytes", "readbytes"))
    job_id = forged_job(jobstatus="C", type="D", comment=None, **empty)

    found = rows.job(job_id)

    assert (found.client, found.fileset, found.pool, found.comment) == ("", "", "", "")
    assert (found.created, found.started, found.ended) == (None, None, None)
    assert (found.files, found.bytes, found.read_bytes, found.has_cache) == (0, 0, 0, False)


def test_jobs_are_found_by_what_is_known_of_them(rows):
    second, third = (forged_job(purgedfiles=1) for _ in range(2))

    assert set(rows.jobs_by_id([second, third, 2**31 - 1, 2**70, -1])) == {second, third}
    assert rows.job(2**31) is None
    assert rows.job(third).is_purged


@pytest.mark.parametrize("number", [0, -1, 2**31, 2**64])
def test_a_number_that_the_catalog_never_gives_is_no_id(number):
    assert not is_id(number)


def test_a_log_is_read_on_from_a_line(rows):
    job_id = forged_job()
    walls = ["2024-10-27 02:50:00", "2024-10-27 02:10:00", "2024-10-27 03:05:00"]
    for wall, text in zip(walls, [b"one\n", b"caf\xe9", b"three"], strict=True):
        execute(
            "INSERT INTO log (jobid, time, logtext) VALUES (%s, %s, convert_from(%s, 'SQL_ASCII'))",
            job_id, wall, text,
        )  # fmt: skip

    one, two, three = rows.log_after(job_id)

    assert [line.text for line in (one, two, three)] == ["one\n", "caf\ufffd", "three"]
    assert [line.time.hour for line in (one, two, three)] == [0, 1, 2]
    assert rows.log_after(job_id, one.log_id, since=one.time) == [two, three]
    assert rows.log_after(job_id, three.log_id) == []


def test_systems_and_retentions_are_known_by_name(rows):
    forged_job(client="cli2-fd", pool="po2")
    execute("UPDATE client SET uname = 'linux' WHERE name = 'cli2-fd'")
    execute("UPDATE pool SET volretention = 3600 WHERE name = 'po2'")

    assert rows.unames()["cli2-fd"] == "linux"
    assert rows.retentions()["po2"] == 3600


def test_an_engine_reads_its_catalog_by_the_clocks_of_its_zone(installation, catalog):
    reader = BaculaEngine(**installation.options(time_zone="Asia/Tokyo")).reader()
    job_id = forged_job(starttime="2024-07-01 09:00:00")

    assert reader.job(job_id).started == dt.datetime(2024, 7, 1, tzinfo=dt.UTC)


# --- When it cannot be read ------------------------------------------------------------------


def test_a_catalog_that_is_not_declared_is_named():
    with pytest.raises(EngineError, match="DATABASES has no 'nowhere'"):
        Catalog("nowhere", BERLIN).unames()


@only_on("sqlite")
def test_a_catalog_in_another_kind_of_database_is_refused(db):
    with pytest.raises(EngineError, match="not PostgreSQL"):
        Catalog("default", BERLIN).unames()


def test_a_database_without_a_catalog_is_refused(changed):
    with pytest.raises(EngineError, match="version"):
        changed(NAME="postgres").unames()


def test_tables_of_an_unknown_version_are_refused(rows, newer_tables):
    with pytest.raises(EngineError) as refused:
        rows.unames()

    assert str(refused.value) == (
        "The catalog 'bacula' has tables of version 1027: this service supports those of Bacula"
        " 9.6, 11, 13 and 15, which are 16 and 1017 to 1026."
    )
    newer_tables()
    assert rows.unames() is not None


@pytest.mark.parametrize("change", [{"PORT": "1"}, {"NAME": "nothing"}, {"USER": "nobody-known"}])
def test_a_stopped_database_server_is_unreachable(changed, change):
    with pytest.raises(EngineUnreachable, match="'bacula' cannot be reached"):
        changed(**change).unames()


def test_a_connection_that_the_database_ended_is_made_anew(rows):
    before = rows.unames()
    ((pid,),) = rows.rows("SELECT pg_backend_pid()")

    execute_elsewhere("SELECT pg_terminate_backend(%s)", pid)

    assert rows.unames() == before
    assert rows.rows("SELECT pg_backend_pid()") != [(pid,)]


def test_a_database_that_comes_back_is_read_again(changed, catalog):
    settings = connections[catalog].settings_dict
    port = settings["PORT"]
    rows = changed(PORT="1")
    with pytest.raises(EngineUnreachable):
        rows.unames()

    settings["PORT"] = port

    assert rows.unames() is not None


def test_a_query_that_takes_too_long_is_ended(catalog, changed):
    changed()
    with pytest.raises(EngineUnreachable, match="within 1 seconds"):
        Catalog(catalog, BERLIN, seconds=1).rows("SELECT pg_sleep(20)")

    assert Catalog(catalog, BERLIN).unames() is not None


def test_what_the_database_refuses_is_told_in_its_words(rows):
    with pytest.raises(EngineError, match='relation "nothing" does not exist'):
        rows.rows("SELECT * FROM nothing")

    assert rows.unames() is not None


def execute_elsewhere(query, *values):
    """Run a query over another connection to the same database."""
    other = connections["bacula"].copy()
    try:
        with other.cursor() as cursor:
            cursor.execute(query, values)
    finally:
        other.close()
