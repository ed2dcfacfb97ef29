import gzip
import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

HERE = Path(__file__).parent
DUMP = HERE / "before_0_1.sql.gz"
KEY = "bk_a6abf1dd9310_z8F2AC3NM7PtTl0VorgQ-s31cJ-QeUm5p9Wg5oI7-dY"  # of nothing but the dump


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """Return what ``use.py`` found in the restored database."""
    folder = tmp_path_factory.mktemp("data")
    with closing(sqlite3.connect(folder / "db.sqlite3")) as database:
        database.executescript(gzip.decompress(DUMP.read_bytes()).decode())
    environment = {
        **os.environ,
        "DATA_DIR": str(folder),
        "DATABASE_URL": "",
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

    assert found["groups"] == {"names": names, "noted": names, "editor": True}


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
