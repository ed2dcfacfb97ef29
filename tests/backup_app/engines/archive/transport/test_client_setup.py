import subprocess

import pytest

from backup_app.engines.archive.transport import client_setup, server_key
from backup_app.exceptions import WrongState

from ....support.factories import ClientFactory, FilesetFactory

HOST_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl"

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("backup_root")]


@pytest.fixture
def home(tmp_path):
    """An administrator's home on the client, empty."""
    home = tmp_path / "home"
    home.mkdir()
    return home


def paste(config, home):
    subprocess.run(["/bin/sh", "-e"], input=config, text=True, env={"HOME": str(home)}, check=True)


def make_config(**attributes):
    client = ClientFactory(**{"name": "web1", "ip": "192.0.2.1", "connection": "ssh"} | attributes)
    return client_setup.client_config(client).config


def test_pasted_config_lets_the_key_in(home):
    paste(make_config(), home)

    keys = home / ".ssh/authorized_keys"
    assert keys.read_text() == f"\nrestrict {server_key.public_key()}\n"
    assert keys.stat().st_mode & 0o777 == 0o600
    assert keys.parent.stat().st_mode & 0o777 == 0o700


def test_config_pasted_again_changes_nothing(home):
    config = make_config()
    paste(config, home)
    before = (home / ".ssh/authorized_keys").read_bytes()

    paste(config, home)

    assert (home / ".ssh/authorized_keys").read_bytes() == before


def test_keys_that_were_there_stay(home):
    keys = home / ".ssh/authorized_keys"
    keys.parent.mkdir()
    keys.write_text("ssh-rsa AAAB other, and no line end")

    paste(make_config(), home)

    assert keys.read_text() == (
        f"ssh-rsa AAAB other, and no line end\nrestrict {server_key.public_key()}\n"
    )


def test_key_that_is_commented_out_does_not_count(home):
    keys = home / ".ssh/authorized_keys"
    keys.parent.mkdir()
    keys.write_text(f"# {server_key.public_key()}\n")

    paste(make_config(), home)

    assert keys.read_text().endswith(f"\nrestrict {server_key.public_key()}\n")


def test_file_that_others_can_write_is_closed_to_them(home):
    keys = home / ".ssh/authorized_keys"
    keys.parent.mkdir()
    keys.touch()
    keys.chmod(0o666)

    paste(make_config(), home)

    assert keys.stat().st_mode & 0o777 == 0o644


def test_line_break_in_a_name_starts_no_command(home):
    paste(make_config(name="web1\ntouch ~/broken\r\ntouch ~/in"), home)

    assert [path.name for path in home.iterdir()] == [".ssh"]


def test_config_names_the_client_and_how_to_pin_its_host_key():
    config = make_config(name="web 1")

    assert config.startswith("# Backup of 'web 1' (192.0.2.1): run this on it as root, once.\n")
    assert "manage.py pin_host_key 'web 1'\n" in config
    assert config.endswith("# None is pinned yet.\n")


def test_config_shows_the_fingerprint_that_is_pinned():
    config = make_config(host_key=HOST_KEY)

    assert config.endswith(
        "# Pinned: ssh-ed25519 SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU\n"
    )


def test_config_names_the_tools_of_each_kind_of_database_once():
    databases = [
        {"kind": "postgresql", "name": "shop"},
        {"kind": "mysql", "name": "wiki"},
        {"kind": "mysql", "name": "shop"},
    ]

    config = make_config(fileset=FilesetFactory(databases=databases))

    assert [line for line in config.splitlines() if "[client]" in line] == [
        "#   mariadb-dump and mariadb, or mysqldump and mysql; mysql.cnf with [client]",
        "#   pg_dump and psql; pg_service.conf with [client], and pgpass",
    ]


def test_config_says_where_the_operator_puts_a_login():
    fileset = FilesetFactory(databases=[{"kind": "mysql", "name": "shop"}])
    client = ClientFactory(connection="ssh", fileset=fileset)

    config = client_setup.client_config(client).config

    assert f"BACKUP_CREDENTIALS_DIR/{client.pk}/:\n" in config


def test_the_server_itself_needs_nothing():
    config = make_config(connection="local")

    assert config.startswith("# 'web1' is the backup server itself: nothing is needed on it.\n")
    assert all(line.startswith("#") for line in config.splitlines())


def test_windows_is_refused():
    client = ClientFactory(name="desk", system="windows", connection="agent")

    with pytest.raises(WrongState) as refusal:
        client_setup.client_config(client)

    assert refusal.value.message == (
        "Client 'desk' is a windows machine: this engine backs up unix machines only, over SSH."
    )
