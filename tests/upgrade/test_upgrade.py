import gzip
import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.postgresql import find_server, new_database
from tests.prerequisites import need

from .make import KEY

HERE = Path(__file__).parent


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def found(request, tmp_path_factory):
    """Return what ``use.py`` found in the restored database."""
    folder = tmp_path_factory.mktemp("data")
    dump = gzip.decompress((HERE / f"before_0_1.{request.param}.sql.gz").read_bytes()).decode()
    restored = {"sqlite": on_sqlite, "postgresql": on_postgresql}[request.param]
    with restored(folder, dump) as address:
        yield use(folder, address)


@contextmanager
def on_sqlite(folder, dump):
    """Restore the dump to the database that is used where no address names one."""
    with closing(sqlite3.connect(folder / "db.sqlite3")) as database:
        database.executescript(dump)
    yield ""


@contextmanager
def on_postgresql(folder, dump):
    """Restore the dump to a new database on the server at hand; yield its address."""
    need(find_server(), "of upgrades on PostgreSQL", "CATALOG_SERVER=postgres://…")
    import psycopg  # which is not needed on SQLite

    with new_database() as address:
        with psycopg.connect(address) as database:
            database.execute(dump)
        yield address


def use(folder, address):
    environment = {
        **os.environ,
        "DATA_DIR": str(folder),
        "DATABASE_URL": address,
        "ENV_FILE": os.devnull,
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }
    done = subprocess.run(
        [sys.executable, "-m", "tests.upgrade.use", KEY],
        cwd=HERE.parents[1],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_requests_are_answered_from_its_records(found):
    assert found["requests"] == {"events": 60, "trash": [62], "job": "completed", "files": 200}


def test_every_page_of_the_admin_works(found):
    assert found["admin"] == [200]


def test_its_groups_are_those_of_the_roles(found):
    names = ["Author", "Contributor", "Editor"]

    backup = ["Backup auditors", "Backup operators"]
    every = sorted([*names, *backup])
    assert found["groups"] == {"names": every, "noted": names, "editor": True}


def test_stored_tasks_run_by_their_earlier_names(found):
    assert found["tasks"] == [
        ["backup_app.tasks.run_job", "SUCCESSFUL"],
        ["backup_app.tasks.run_job", "SUCCESSFUL"],
        ["calendar_app.tasks.publish_when_due", "SUCCESSFUL"],
    ]
    assert found["records"]["event"] == "publish"


def test_a_queued_backup_is_done_in_full_where_the_volumes_are_gone(found):
    assert (found["records"]["job"], found["records"]["level"]) == ("warnings", "Full")


def test_its_workers_become_those_of_the_backup_app(found):
    assert found["records"]["worker"]
