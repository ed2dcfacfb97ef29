"""The Bacula of these tests works, and a test sees what its Director does."""

import pytest
from django.db import connections

from backup_app.engines import get_engine


@pytest.fixture
def operators_backup(installation):
    """The number of a backup that the operator begins."""
    file = installation.own / "file"
    file.write_text("content")
    installation.bconsole("run job=operator-backup level=Full yes")
    yield int(installation.query("SELECT max(jobid) FROM job")[0][0])
    file.unlink()


def test_the_operators_backup_runs(installation, operators_backup):
    assert installation.wait(operators_backup) == "T"


def test_a_test_reads_the_catalog_through_django(bacula, operators_backup):
    bacula.wait(operators_backup)

    with connections["bacula"].cursor() as cursor:
        cursor.execute("SELECT jobfiles FROM job WHERE jobid = %s", [operators_backup])
        assert cursor.fetchall() == [(2,)]


def test_the_catalog_is_no_database_of_the_tests(bacula):
    assert "bacula" not in list(connections)


def test_the_default_engine_is_that_of_the_installation(bacula, bacula_client):
    client = bacula_client(bacula.own)

    assert get_engine().port == bacula.ports["dir"]
    assert client.engine_name == "one-fd"
    assert client.pool.storage.engine_name == "File1"
