"""A database that cannot be used: commands say what to do about it in one sentence."""

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest
from django.db import DatabaseError, IntegrityError, OperationalError, connection

from config.site import database_errors
from tests.attacks import rounds
from tests.support.migrated import copy_migrated

from ..test_settings import run

COMMANDS = [
    "serve --port=65535",
    "worker",
    "migrate",
    "setup_demo",
    "createsuperuser --noinput --username=ann --email=ann@example.org",
    "changepassword ann",
    "seed_demo",
    "generate_events 3",
    "export_ics",
    "create_api_key ann@example.org",
    "revoke_api_key bk_0",
    "run_backup web1",
    "restore 1 /etc",
    "backup_status",
    "verify",
    "prune",
    "check_storage",
    "rebuild_catalog",
    "purge_clients",
    "pin_host_key web1",
    "backup_upkeep",
]
SOME = COMMANDS[: rounds(5, len(COMMANDS))]  # each waits a second for a lock
# All of them in one process, since most of the time of one is its start.
SAYS = """
import contextlib, io, json, sys
import manage
told = {{}}
for command in {commands}:
    sys.argv = ["manage.py", *command.split()]
    with contextlib.redirect_stderr(io.StringIO()) as errors:
        try:
            manage.main()
            told[command] = "nothing"
        except SystemExit as e:
            told[command] = e.code if isinstance(e.code, str) else errors.getvalue().strip()
print(json.dumps(told))
"""


def said_by(folder, commands=COMMANDS, **variables):
    """Return what each command says at its end, that fails with a data folder."""
    code = SAYS.format(commands=commands)
    environ = {"PATH": os.environ["PATH"], "DATA_DIR": str(folder), "ENV_FILE": os.devnull}
    done = subprocess.run(  # noqa: S603 - our own commands
        [sys.executable, "-c", code],
        env=environ | variables,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def assert_all_say(told, beginning, remedy):
    others = {
        command: said
        for command, said in told.items()
        if not said.startswith(beginning) or remedy not in said or "\n" in said
    }
    assert others == {}


def test_a_file_that_is_no_database_is_named(tmp_path):
    path = tmp_path / "db.sqlite3"
    path.write_bytes(b"something else" * 1000)

    told = said_by(tmp_path)

    assert_all_say(told, f"Error: The database '{path}' is damaged", "run 'manage.py migrate' for")


def test_a_damaged_database_is_named(tmp_path):
    path = copy_migrated(tmp_path)
    content = path.read_bytes()
    path.write_bytes(content[:4096] + bytes(len(content) - 4096))

    told = said_by(tmp_path)

    assert_all_say(told, f"Error: The database '{path}' is damaged", "run 'manage.py migrate' for")


def test_a_locked_database_is_named(tmp_path):
    path = copy_migrated(tmp_path)

    with closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN EXCLUSIVE")
        told = said_by(tmp_path, SOME, DATABASE_URL=f"sqlite:///{path}?timeout=1")

    assert_all_say(told, f"Error: The database '{path}' is locked by", "End that process")


def test_an_empty_database_is_to_be_migrated(tmp_path):
    told = said_by(tmp_path, [command for command in COMMANDS if command != "migrate"])

    assert_all_say(told, "", "un 'manage.py migrate'")


def test_an_unreachable_server_is_named(tmp_path):
    done = run(tmp_path, "migrate", DATABASE_URL="postgres://ann:secret@127.0.0.1:1/site")

    assert done.stderr.startswith("Error: The database 'site' at 127.0.0.1:1 cannot be used.")
    assert "Traceback" not in done.stderr
    assert "secret" not in done.stderr


@pytest.mark.django_db
def test_a_missing_table_asks_for_migrations():
    with pytest.raises(DatabaseError) as failed, connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM no_such_table")

    assert database_errors.sentence(failed.value).startswith(
        f"The database '{connection.settings_dict['NAME']}'"
    )
    assert "is not up to date. Run 'manage.py migrate'. (" in database_errors.sentence(failed.value)


def test_a_programming_error_is_not_reported_as_a_database_problem():
    assert database_errors.sentence(IntegrityError("UNIQUE constraint failed")) is None


def test_another_failure_is_told_in_the_words_of_the_database():
    sentence = database_errors.sentence(OperationalError("too many connections"))

    assert sentence.endswith("cannot be used. Check it and DATABASE_URL. (too many connections)")
