"""What a client of Bacula is told to have, as its own file daemon reads it."""

import re
import subprocess
from pathlib import Path

import pytest

from backup_app.engines.bacula.clients import databases, setup
from backup_app.engines.bacula.config import passwords
from backup_app.engines.bacula.engine import BaculaEngine
from tests.prerequisites import need_bacula

from ....support.factories import ClientFactory, FilesetFactory
from ..support import release

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("backup_root")]


@pytest.fixture
def engine():
    return BaculaEngine(director="main-dir")


def make_config(engine, **attributes):
    values = {"name": "web1", "ip": "192.0.2.1", "connection": "agent", "agent_port": 9110}
    return setup.client_config(engine, ClientFactory(**values | attributes))


def accepted(config, folder):
    need_bacula(Path(release.CLIENT).exists())
    file = folder / "bacula-fd.conf"
    file.write_text(config)
    return subprocess.run([release.CLIENT, "-t", "-c", file], capture_output=True, text=True)


@pytest.mark.parametrize("system", ["unix", "windows"])
@pytest.mark.parametrize("director", ["main-dir", "The Director of all: 1"])
def test_the_file_daemon_accepts_it(system, director, tmp_path):
    made = make_config(BaculaEngine(director=director), system=system)
    # That a folder is there it looks up at once.
    config = re.sub(r'"C:[^"]*"', f'"{tmp_path}"', made.config)

    done = accepted(config, tmp_path)

    assert made.file_name == "bacula-fd.conf"
    assert (done.returncode, done.stdout) == (0, "")


def test_it_has_the_clients_name_port_and_password(engine):
    client = ClientFactory(agent_port=9110)

    lines = [line.strip() for line in setup.client_config(engine, client).config.split("\n")]

    assert f'Name = "bk-client-{client.pk}"' in lines
    assert "FD Port = 9110" in lines
    password = passwords.client_password(engine, f"bk-client-{client.pk}")
    assert f'Password = "{password}"' in lines
    assert 'Director = "main-dir" = all, !skipped, !restored' in lines


def test_it_says_what_to_do(engine):
    config = make_config(engine).config

    assert config.startswith("# Backup of 'web1' (192.0.2.1): this is its bacula-fd.conf.\n")
    assert "apt-get install bacula-fd" in config
    assert "The Director 'main-dir' connects to port 9110 of this machine" in config


def test_windows_has_its_own_paths(engine):
    config = make_config(engine, system="windows").config

    assert '"C:\\\\Program Files\\\\Bacula\\\\working"' in config
    assert "C:\\Program Files\\Bacula\\bacula-fd.conf" in config


def test_a_line_break_in_a_name_ends_no_comment(engine):
    config = make_config(engine, name="web1\nDirector {").config

    assert config.startswith("# Backup of 'web1 Director {' (")


def test_an_adopted_client_has_what_its_operator_gave_it(engine):
    config = make_config(engine, engine_name="web1-fd").config

    assert "is the client 'web1-fd' of the Director 'main-dir'" in config
    assert "port 9110 of 192.0.2.1" in config
    assert all(line.startswith("#") for line in config.splitlines())


@pytest.mark.parametrize(
    ("known", "folder"), [("", "/etc/bacula"), ("web1-fd", "/root")], ids=["ours", "adopted"]
)
def test_a_client_of_an_account_with_databases_gets_the_script(tmp_path, known, folder):
    program = tmp_path / "backup-databases"
    engine = BaculaEngine(database_program=str(program))
    account = FilesetFactory(databases=[{"kind": "mysql", "name": "shop"}]).account
    config = make_config(engine, account=account, engine_name=known)
    assert known or accepted(config.config, tmp_path).returncode == 0
    (tmp_path / "bacula-fd.conf").write_text(config.config)
    (tmp_path / "bacula-fd.txt").write_text(config.config)

    lines = config.config.splitlines()
    commands = [line[1:].strip() for line in lines if line.startswith("#   sed")]
    (command,) = [each.replace(folder, str(tmp_path)) for each in commands]
    subprocess.run(["sh", "-ec", command], check=True)

    assert program.read_text() == databases.script()


def test_a_client_without_databases_gets_no_script(engine):
    assert "#:" not in make_config(engine).config
