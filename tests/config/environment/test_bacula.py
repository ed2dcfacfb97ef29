import inspect
import os
import shutil

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings

from backup_app import checks as backup_checks
from backup_app.conf import ENGINES
from backup_app.engines.bacula import BaculaEngine
from calendar_app import checks as calendar_checks
from config.environment import bacula
from config.environment.variables import Environment
from tests.backup_app.engines.bacula.support.installation import SERVER, sql
from tests.prerequisites import need_bacula
from tests.support.migrated import copy_migrated

from ..test_settings import run

URL = "postgres://reader:p%40ss@db:5433/bacula"
HERE = {"BACULA_CATALOG_URL": URL, "BACULA_PASSWORD": "of the console"}


def settings(**variables):
    return bacula.settings(Environment(variables), {"default": {}}, ENGINES)


def test_without_a_catalog_there_is_no_bacula():
    assert settings(BACKUP_ROOT="/srv", BACULA_CATALOG_URL=" ") == {}


def test_with_a_catalog_there_is_an_engine_beside_the_default_one():
    made = settings(**HERE, BACULA_PORT="9999", BACULA_CONFIG_DIR="/etc/bacula/conf.d")

    assert made["BACKUP_ENGINES"] == ENGINES | {
        "bacula": {
            "BACKEND": "backup_app.engines.bacula.BaculaEngine",
            "OPTIONS": {
                "password": "of the console",
                "port": 9999,
                "config_dir": "/etc/bacula/conf.d",
            },
        }
    }


def test_the_catalog_is_read_only_and_connections_to_it_time_out_soon():
    made = settings(**HERE | {"BACULA_CATALOG_URL": f"{URL}?options=-c%20work_mem%3D64MB"})

    entry = made["DATABASES"]["bacula"]
    assert (entry["HOST"], entry["PORT"], entry["NAME"]) == ("db", 5433, "bacula")
    assert (entry["USER"], entry["PASSWORD"]) == ("reader", "p@ss")
    assert (entry["CONN_MAX_AGE"], entry["CONN_HEALTH_CHECKS"]) == (600, True)
    assert entry["OPTIONS"] == {
        "connect_timeout": 5,
        "options": "-c default_transaction_read_only=on -c work_mem=64MB",
    }


def test_the_variables_are_the_options_of_the_engine():
    parameters = inspect.signature(BaculaEngine).parameters
    defaults = {name.upper(): each.default for name, each in parameters.items()}

    assert defaults == {**bacula.DEFAULTS, "CATALOG": bacula.ALIAS}
    assert set(bacula.FORMS) <= set(bacula.DEFAULTS)


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        ({"PORT": "ssh"}, "BACULA_PORT is 'ssh', which is not a whole number of 0 or more."),
        ({"PORT": "0"}, "BACULA_PORT is '0', which is not a port number."),
        ({"ANSWER_SECONDS": "0"}, "BACULA_ANSWER_SECONDS is '0', which is not a whole number"),
        ({"CONFIG_DIR": "conf.d"}, "BACULA_CONFIG_DIR is 'conf.d', which is not an absolute path."),
        ({"TLS": "on"}, "BACULA_TLS is 'on', which is neither 'required' nor 'optional'."),
        ({"TLS_CA": "ca.pem"}, "BACULA_TLS_CA is 'ca.pem', which is not an absolute path."),
        ({"TIME_ZONE": "Mars"}, "BACULA_TIME_ZONE is 'Mars', which is not a time zone such as"),
        ({"PREFIX": 'x"'}, "BACULA_PREFIX is 'x\"', which is not a letter followed by letters"),
        (
            {"DIRECTOR": "a\nb"},
            "BACULA_DIRECTOR is 'a\nb', which is not a name that Bacula accepts",
        ),
        ({"ADRESS": "db"}, "There is no setting BACULA_ADRESS. Did you mean BACULA_ADDRESS?"),
        ({"PASSWORD": ""}, "BACULA_PASSWORD is not set, and the Director requires it."),
        (
            {"CATALOG_URL": ""},
            "BACULA_PASSWORD is set, but BACULA_CATALOG_URL is not: there is no Bacula to use.",
        ),
        (
            {"CATALOG_URL": "mysql://ann:secret@db/bacula"},
            (
                "BACULA_CATALOG_URL is 'mysql://ann:***@db/bacula', which does not begin with one"
                " of postgres, postgresql."
            ),
        ),
        (
            {"CATALOG_URL": "postgres://ann:secret@db"},
            "BACULA_CATALOG_URL is 'postgres://ann:***@db', which does not name a database.",
        ),
    ],
)
def test_an_invalid_value_stops_the_start_with_a_message(variables, sentence):
    given = HERE | {f"BACULA_{name}": value for name, value in variables.items()}

    with pytest.raises(ImproperlyConfigured) as refusal:
        settings(**given)

    assert str(refusal.value).startswith(sentence)


@pytest.fixture
def empty():
    """The URL of a database with nothing in it, which whoever asks may write to."""
    name = f"catalog-{os.getpid()}"
    need_bacula(shutil.which("psql"))
    made = sql(f'CREATE DATABASE "{name}"', check=False)
    need_bacula(made.returncode == 0)
    yield "postgres://{user}:{password}@{host}:{port}/".format(**SERVER) + name
    sql(f'DROP DATABASE "{name}" WITH (FORCE)')


def test_nothing_is_written_to_the_catalog(tmp_path, empty):
    variables = HERE | {"BACULA_CATALOG_URL": empty}
    tables = (
        "from django.db import connections as c; print(c['bacula'].introspection.table_names())"
    )
    write = (
        "from django.db import connections as c; c['bacula'].cursor().execute('CREATE TABLE t()')"
    )

    migrated = run(tmp_path, "migrate", "--database", "bacula", **variables)
    written = run(tmp_path, "shell", "--no-imports", "-c", write, **variables)

    assert "read-only transaction" in migrated.stderr + written.stderr
    assert "read-only transaction" in written.stderr
    assert run(tmp_path, "shell", "--no-imports", "-c", tables, **variables).stdout == "[]\n"


def test_start_and_migrations_work_with_an_unreachable_catalog(tmp_path):
    variables = HERE | {"BACULA_CATALOG_URL": "postgres://127.0.0.1:1/none"}
    copy_migrated(tmp_path)

    for command in (["check"], ["migrate"], ["makemigrations", "--check"]):
        done = run(tmp_path, *command, **variables)
        assert (command, done.returncode, done.stderr) == (command, 0, "")


@pytest.mark.parametrize("checks", [backup_checks, calendar_checks])
def test_no_migrations_are_missed_in_the_catalog(checks):
    with override_settings(DATABASE_ROUTERS=["config.environment.bacula.Router"]):
        assert checks.check_migrations([bacula.ALIAS]) == []
