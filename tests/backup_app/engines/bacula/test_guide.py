"""docs/bacula.md, performed from its first line to where Bacula is as it was before."""

import re
from pathlib import Path

import pytest
from django.db import connections

from backup_app.engines import get_engine
from backup_app.models import Client, Job, Zone
from backup_app.services import clients
from config.environment import bacula as environment
from config.environment.variables import Environment
from tests.support.waiting import wait_for

from ...support.api_client import client_of
from ...support.contract.setting import downloaded
from ...support.factories import AccountFactory
from .support.guide import Host, Text, agents_port
from .support.installation import require

pytestmark = pytest.mark.django_db

TABLES = {
    "job": "name",
    "media": "volumename",
    "pool": "name",
    "client": "name",
    "fileset": "fileset",
    "storage": "name",
}


@pytest.fixture
def account(db):
    return AccountFactory(email="ann@example.org")


@pytest.fixture
def host(tmp_path, account, settings, monkeypatch):
    require()
    monkeypatch.chdir(tmp_path)
    settings.BACKUP_ROOT = str(tmp_path / "var/lib/calendar/backups")
    made = Host(tmp_path, client_of(account))
    try:
        made.install()
        yield made
    finally:
        connections["guide"].close()
        made.remove()


@pytest.fixture
def configure(settings, hide, host):
    """A function that gives this service the settings of the guide."""

    def use(block):
        given = dict(line.split("=", 1) for line in host.here(block).splitlines())
        password = given["BACULA_CATALOG_URL"].rpartition("@")[0]
        server = f"{host.server}/{host.database}"
        given["BACULA_CATALOG_URL"] = f"{password}@{server}"
        found = environment.settings(Environment(given | host.settings), {}, {})
        hide("guide", found["DATABASES"]["bacula"])
        engine = found["BACKUP_ENGINES"]["bacula"]
        engine["OPTIONS"]["catalog"] = "guide"
        settings.BACKUP_ENGINES = settings.BACKUP_ENGINES | {"bacula": engine}

    return use


def ours(host):
    """Return how many names of this service each table of the catalog has."""
    return {
        table: len(host.query(f"SELECT {name} FROM {table} WHERE {name} LIKE 'bk-%'"))  # noqa: S608
        for table, name in TABLES.items()
    }


@pytest.fixture
def existing(host):
    """The name of a job of a Bacula that was there before, which has run."""
    operate(host)
    host.run("systemctl restart bacula-sd bacula-fd bacula-director")
    host.run("printf 'run job=BackupClient1 yes\nquit\n' | bconsole")
    ended = "SELECT 1 FROM job WHERE name = 'BackupClient1' AND jobstatus = 'T'"
    wait_for(lambda: host.query(ended))
    return "BackupClient1"


def operate(host):
    """Give Debian's configuration something to back up, and what the guide demands of it."""
    host.path("/srv/volumes").mkdir()
    file = host.path("/etc/bacula/bacula-dir.conf")
    text = file.read_text().replace("File = /usr/sbin", "File = /etc/hostname")
    file.write_text(text.replace("  SpoolAttributes", "  Accurate = yes\n  SpoolAttributes"))


def test_the_guide_from_its_first_line_to_undoing_it(host, configure):
    before = host.path("/etc/bacula/bacula-dir.conf").read_text()
    set_up(host, configure)
    assert list(get_engine("bacula").faults()) == []
    assert Zone.objects.get().storages.get().name == "disk"

    back_up(host)
    assert ours(host)["job"] == 2

    undo(host)
    left = ours(host)
    assert left.pop("fileset") > 0
    assert set(left.values()) == {0}, left
    assert host.path("/etc/bacula/bacula-dir.conf").read_text() == before
    assert not host.path("/etc/bacula/conf.d").exists()
    assert list(host.path("/srv/bacula").iterdir()) == []


def test_an_existing_bacula_from_its_adoption_to_undoing_it(host, configure, existing):
    config = host.path("/etc/bacula/bacula-dir.conf")
    before, jobs, volumes = config.read_text(), jobs_of(host), volumes_of(host)
    set_up_beside(host, configure)
    assert list(get_engine("bacula").faults()) == []

    adopt(host)
    client = Client.objects.get()
    adopted = client.jobs.get()
    assert (client.name, client.pool.name, adopted.status) == ("backup1-fd", "File", "completed")
    planned = get_engine("bacula").planned_runs(client).runs
    assert {run.job for run in planned} == {existing, "BackupCatalog"}
    content = Path("/etc/hostname").read_bytes()
    assert content in downloaded(get_engine("bacula"), adopted)
    restore(host, adopted)

    back_up_adopted(host)
    assert ours(host)["media"] == 0

    undo(host)
    left = ours(host)
    del left["fileset"]
    assert set(left.values()) == {0}, left
    assert (config.read_text(), jobs_of(host), volumes_of(host)) == (before, jobs, volumes)
    assert not host.path("/etc/bacula/conf.d").exists()


def jobs_of(host):
    return host.query("SELECT jobid, job, jobstatus, jobfiles, purgedfiles FROM job ORDER BY jobid")


def volumes_of(host):
    return host.query("SELECT volumename, volstatus FROM media ORDER BY mediaid")


def set_up_beside(host, configure):
    """Do what "An existing Bacula" names of "A new Bacula"."""
    blocks = Text("A new Bacula").blocks
    first = blocks.index(Text("A new Bacula").block("runuser"))
    for block in blocks[first:]:
        if block.startswith("BACULA_"):
            configure(re.sub("BACULA_STORAGES=.*\n", "", block))
        elif not re.match(r"\[disk]|chown .*storages|manage add_zone", block):
            host.perform(block)


def adopt(host):
    """Do what "An existing Bacula" says."""
    (block,) = Text("An existing Bacula").blocks
    add_zone, dry_run, sync = block.splitlines()
    host.run(add_zone)
    host.run(dry_run)
    assert not Client.objects.exists()
    host.run(sync)


def restore(host, adopted):
    """Do what "The first client" says of a backup, with one that was adopted."""
    host.variables["full"] = str(adopted.pk)
    _, *lines = Text("The first client").block("full=").splitlines()
    for line in lines:
        host.run(line)
    restored = host.path("/srv/restored/etc/hostname")
    assert restored.read_bytes() == Path("/etc/hostname").read_bytes()


def back_up_adopted(host):
    """Do what "The first client" says, with a client that was adopted."""
    host.perform(Text("The first client").block("full="))
    backup = Job.objects.get(pk=host.variables["full"])
    assert (backup.level, backup.pool.name) == ("Full", "File")


def set_up(host, configure):
    """Do what "A new Bacula" says."""
    chapter = Text("A new Bacula")
    for block in chapter.blocks:
        if block.startswith("Storage {"):
            host.write("/etc/bacula/bacula-sd.conf", with_all_devices(block))
        elif block.startswith("[disk]"):
            host.write("/etc/calendar-storages.toml", f"{block}\nport = 9103\n")
        elif block.startswith("BACULA_"):
            configure(block)
        else:
            host.perform(block)


def with_all_devices(block):
    """Return the storage daemon's file with the devices that a comment there stands for."""
    text, _, comment = block.partition("\n# … ")
    first = text[text.index("Device {") :]
    assert comment == "Disk-2 with Drive Index = 1, Disk-3 with Drive Index = 2"
    for number in (2, 3):
        other = first.replace("Disk-1", f"Disk-{number}")
        text += "\n" + other.replace("Drive Index = 0", f"Drive Index = {number - 1}")
    return text + "\n"


def back_up(host):
    """Do what "The first client" says."""
    create, install, use, many = Text("The first client").blocks
    host.perform(create)
    agents_port("127.0.0.1", int(host.ports["9102"]))
    host.run("api getconfig/192.0.2.10/unix -X POST")
    host.path("/etc/bacula/bacula-fd.conf").write_text(host.here(host.answer["config"]))
    host.perform(install)
    host.perform(use)
    restored = host.path("/srv/restored/etc/hostname")
    assert restored.read_bytes() == Path("/etc/hostname").read_bytes()
    host.path("machines.csv").write_text("name,ip\nweb2,192.0.2.20\nweb3,192.0.2.30\n")
    host.perform(many)
    assert "bk-client-" in host.path(f"/etc/bacula/conf.d/bk-client-{newest()}.conf").read_text()


def newest():
    return Client.objects.latest("pk").pk


def undo(host):
    """Do what "Undoing it" says."""
    for client in Client.objects.all():
        clients.delete(client)
    for block in Text("Undoing it").blocks:
        host.perform(block)
