import os
import subprocess
import sys

import pytest

KEY = "a-key-of-fifty-characters-or-more-for-tests-0123456789"
PRODUCTION = {"PRODUCTION": "1", "SECRET_KEY": KEY, "ALLOWED_HOSTS": "example.org"}
SHOWN = "DEBUG", "SECURE_SSL_REDIRECT", "ALLOWED_HOSTS", "MEDIA_URL", "CALENDAR_PER_PAGE"


def run(tmp_path, *arguments, umask=-1, **variables):
    """Run manage.py as a process of its own with nothing but these variables set."""
    environ = {"PATH": os.environ["PATH"], "DATA_DIR": str(tmp_path), "ENV_FILE": os.devnull}
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(  # noqa: S603
        command,
        env=environ | variables,
        capture_output=True,
        text=True,
        check=False,
        umask=umask,
        timeout=120,
    )


def shown(tmp_path, **variables):
    code = f"from django.conf import settings as s; print([getattr(s, n, None) for n in {SHOWN}])"
    return run(tmp_path, "shell", "--no-imports", "-c", code, **variables).stdout.strip()


def test_nothing_set_is_safe(tmp_path):
    hosts = [".localhost", "127.0.0.1", "[::1]"]

    assert shown(tmp_path) == str([False, False, hosts, "/media/", None])
    assert (tmp_path / "secret.key").stat().st_mode & 0o777 == 0o600


def test_variables_are_used(tmp_path):
    found = shown(tmp_path, **PRODUCTION, BASE_PATH="/a/b", CALENDAR_PER_PAGE="5")

    assert found == str([False, True, ["example.org"], "/a/b/media/", 5])
    assert not (tmp_path / "secret.key").exists()


def test_by_default_only_the_demo_files_of_this_machine_may_be_backed_up(tmp_path):
    code = "from backup_app.conf import conf; print(*conf.local_roots)"
    arguments = "shell", "--no-imports", "-c", code

    assert run(tmp_path, *arguments).stdout == f"{tmp_path}/demo-files\n"
    assert run(tmp_path, *arguments, **PRODUCTION).stdout == "\n"
    assert run(tmp_path, *arguments, BACKUP_LOCAL_ROOTS="/srv").stdout == "/srv\n"


def test_a_file_of_variables_is_read_and_the_environment_wins(tmp_path):
    (tmp_path / "settings.env").write_text("CALENDAR_PER_PAGE=5\nBASE_PATH=file\n")

    found = shown(tmp_path, ENV_FILE=str(tmp_path / "settings.env"), BASE_PATH="own")

    assert found.endswith("'/own/media/', 5]")


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        ({"DEBUG": "maybe"}, "DEBUG is 'maybe', which is neither true nor false."),
        ({"SECRET_KEY": "short"}, "SECRET_KEY is too weak: use 50 random characters or more."),
        (
            {**PRODUCTION, "SECRET_KEY": ""},
            "SECRET_KEY is not set. Production needs its own key, the same on every host.",
        ),
        (
            {**PRODUCTION, "ALLOWED_HOSTS": ""},
            "ALLOWED_HOSTS is not set. Production needs the host names that it serves.",
        ),
        (
            {**PRODUCTION, "DEBUG": "1"},
            "DEBUG is 'true', which must not be set in production: errors show settings.",
        ),
        (
            {"CALENDAR_PER_PAGE": "ten"},
            "CALENDAR_PER_PAGE is 'ten', which is not a whole number of 0 or more.",
        ),
    ],
)
def test_a_wrong_value_stops_the_start_with_one_sentence(tmp_path, variables, sentence):
    result = run(tmp_path, "check", **variables)

    assert result.returncode == 1
    assert result.stderr == f"Error: {sentence}\n"


def test_a_database_that_does_not_answer_stops_the_start_with_a_sentence(tmp_path):
    result = run(tmp_path, "migrate", DATABASE_URL="postgres://127.0.0.1:1/none")

    assert result.returncode == 1
    assert result.stderr.startswith(
        "Error: The database 'none' at 127.0.0.1:1 cannot be used. Check it and DATABASE_URL."
    )
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("command", ["serve", "worker"])
def test_a_database_without_migrations_is_not_served(tmp_path, command):
    result = run(tmp_path, command, PORT="8999")

    assert result.returncode == 1
    assert "migrations are not applied" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_variable_of_an_orchestrator_is_named_in_one_line(tmp_path):
    done = run(tmp_path, "check", CALENDAR_SERVICE_HOST="10.0.0.7", BACKUP_PORT="tcp://10.0.0.7:80")

    assert done.returncode == 0
    [line] = done.stderr.splitlines()
    assert line.endswith(
        "These variables are not settings and are ignored: CALENDAR_SERVICE_HOST, BACKUP_PORT."
    )


@pytest.mark.parametrize("where", ["file", "environment"])
def test_a_mistyped_name_stops_the_start(tmp_path, where):
    path = tmp_path / "settings.env"
    path.write_text("CALENDAR_PER_PAEG=5\n" if where == "file" else "")
    variables = {"CALENDAR_PER_PAEG": "5"} if where == "environment" else {}

    done = run(tmp_path, "check", ENV_FILE=str(path), **variables)

    assert (done.returncode, done.stderr) == (
        1,
        "Error: There is no setting CALENDAR_PER_PAEG. Did you mean CALENDAR_PER_PAGE?\n",
    )


def test_an_unknown_name_in_the_file_stops_the_start(tmp_path):
    path = tmp_path / "settings.env"
    path.write_text("CALENDAR_SERVICE_HOST=10.0.0.7\n")

    done = run(tmp_path, "check", ENV_FILE=str(path))

    assert done.returncode == 1
    assert done.stderr.startswith("Error: There is no setting CALENDAR_SERVICE_HOST. There are CAL")
