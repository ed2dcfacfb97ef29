"""What ``manage.py check --database bacula`` finds wrong, on a Bacula broken in each way."""

import secrets
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connections

from backup_app.engines import get_engine

from ....support.factories import StorageFactory
from ..conftest import ENGINE
from ..support.installation import free_ports, sql

pytestmark = pytest.mark.django_db


@pytest.fixture
def reader(bacula, hide):
    """A role that may only read the catalog, which the engine then uses: its name."""
    role = f"reader-{secrets.token_hex(4)}"
    sql(f"CREATE ROLE \"{role}\" LOGIN PASSWORD '{role}'")
    sql(f'GRANT SELECT ON ALL TABLES IN SCHEMA public TO "{role}"', database=bacula.database)
    hide(role, bacula.catalog | {"USER": role, "PASSWORD": role})
    yield role
    connections[role].close()
    revoke = f'REVOKE ALL ON ALL TABLES IN SCHEMA public FROM "{role}"'
    sql(revoke, f'DROP ROLE "{role}"', database=bacula.database)


@pytest.fixture
def faults(bacula, reader, settings):
    """A function that returns what is wrong with these options."""

    def find(**options):
        options = bacula.options(**{"catalog": reader} | options)
        settings.BACKUP_ENGINES = {"default": {"BACKEND": ENGINE, "OPTIONS": options}}
        return list(get_engine().faults())

    return find


def test_a_director_in_another_zone_starts_no_scheduled_backups(faults):
    found = faults(time_zone="Asia/Kathmandu", schedules=True)

    assert any("this service goes on starting backups itself" in each for each in found)


def test_a_working_installation_has_no_problems(faults, bacula_zone):
    assert faults() == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"port": free_ports(1)[0]}, "Connection refused"),
        ({"password": "another"}, "rejected the console's password: 1999 Authorization failed."),
        ({"console": "nobody"}, "1999 You are not authorized."),
        ({"director": "other-dir"}, "The Director calls itself 'test-dir', not 'other-dir'"),
        ({"time_zone": "Asia/Kathmandu"}, "in the zone 'Asia/Kathmandu': set the option time_zone"),
        ({"config_dir": ""}, "The option config_dir is not set"),
        ({"config_dir": "/none"}, "The folder config_dir '/none' cannot be written to by this"),
        ({"director_program": "/none"}, "The program '/none' cannot be run: No such file"),
        ({"director_config": "/none"}, "The Director's file '/none' cannot be read: No such file"),
        ({"extract_program": "/none"}, "The program '/none', which makes downloads, cannot be run"),
        ({"storage_config": "/none"}, "'/none' cannot be read: No such file or directory. The opt"),
        ({"storage_config": ""}, "Neither of the options storage_config and spool_client is set"),
        ({"storage_config": "", "spool_client": "none"}, "The Director has no client 'none'. T"),
        ({"storage_config": "", "spool_client": "two-fd"}, "The file daemon 'two-fd' has plugins"),
        ({"storages": "/none"}, "The file storages '/none' cannot be read: No such file"),
    ],
)
def test_an_obstacle_to_working_is_reported(faults, options, words):
    (fault,) = faults(**options)

    assert words in fault


def test_what_the_console_lacks_is_reported(faults):
    commands, lists = faults(console="limited")

    assert commands.startswith("The console 'limited' may not use .bvfs_cleanup, ")
    assert lists.startswith("The console 'limited' does not see all that this service adds: ")


def test_without_the_tls_that_was_asked_for_nothing_else_is_reported(bacula, faults):
    (fault,) = faults(tls_ca=str(bacula.folder / "authority.pem"))

    assert fault.endswith("offers no TLS with certificates, which the option tls_ca requires.")


def test_an_unreachable_director_is_reported(bacula, faults):
    bacula.director.kill()

    (fault,) = faults()

    assert "Connection refused. Check that the Director is running" in fault


def test_a_configuration_without_the_folder_is_reported(bacula, faults, tmp_path):
    (fault,) = faults(config_dir=str(tmp_path))

    assert "does not include the folder config_dir: add the line @|" in fault


def test_an_invalid_configuration_is_reported(bacula, faults):
    (bacula.conf_d / "broken.conf").write_text("Pool { Name = half }")

    (fault,) = faults()

    assert fault.startswith("The Director does not accept this configuration: ")
    assert '"PoolType" directive is required' in fault


def test_a_storage_unknown_to_the_director_is_reported(faults, bacula_zone):
    StorageFactory(zone=bacula_zone, name="attic", path="")

    (fault,) = faults()

    assert fault.startswith(f"The Director has no storage 'attic', which the zone '{bacula_zone}'")


def test_a_client_unknown_to_the_director_is_reported(faults, bacula_client):
    client = bacula_client(engine_name="gone-fd", name="web")

    (fault,) = faults()

    assert fault.startswith(
        f"The Director has no client 'gone-fd', which 'web' of {client.account}"
    )


def test_a_role_that_may_write_is_reported(bacula, reader, faults):
    sql(f'GRANT UPDATE ON job TO "{reader}"', database=bacula.database)

    (fault,) = faults()

    assert f"The role '{reader}' may write to the catalog '{bacula.database}', and nothing" in fault


def test_a_role_that_may_not_read_is_reported(bacula, reader, faults):
    sql(f'REVOKE ALL ON log, pool FROM "{reader}"', database=bacula.database)

    (fault,) = faults()

    assert fault.startswith(f"The role '{reader}' may not read log, pool of the catalog")
    assert fault.endswith(f'GRANT SELECT ON ALL TABLES IN SCHEMA public TO "{reader}".')


def test_a_catalog_of_another_version_is_reported(bacula, faults, reader, newer_tables):
    found = faults()

    assert f"The catalog '{reader}' has tables of version 1027: this service" in found[0]


def test_a_catalog_in_another_encoding_is_reported(bacula, reader, faults, hide):
    name = f"{bacula.database}-utf8"
    sql(
        f"CREATE DATABASE \"{name}\" TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'"
    )
    sql("CREATE TABLE version (versionid int)", "INSERT INTO version VALUES (16)", database=name)
    hide(name, bacula.catalog | {"NAME": name})
    try:
        found = faults(catalog=name)
    finally:
        connections[name].close()
        sql(f'DROP DATABASE "{name}"')

    assert any(fault.startswith(f"The catalog '{name}' is in UTF8, ") for fault in found)


def test_an_unreachable_catalog_is_reported(bacula, faults, hide):
    hide("away", bacula.catalog | {"PORT": str(free_ports(1)[0])})

    found = faults(catalog="away")

    assert any("The catalog 'away' cannot be reached: connection failed" in each for each in found)


def test_they_are_warnings_of_a_check_of_the_catalog(bacula, reader, faults, capsys):
    faults(password="another", director="other")

    call_command("check", databases=[reader], stderr=(said := StringIO()))

    assert "(backup_app.W003) The Director at " in said.getvalue()
    assert "HINT: It concerns the engine 'default'." in said.getvalue()


def test_other_databases_are_checked_without_it(bacula, faults):
    faults(password="another")

    call_command("check", databases=["default"], stderr=(said := StringIO()))

    assert "W003" not in said.getvalue()
