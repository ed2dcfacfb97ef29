"""docs/recovery.md: each disaster as a drill, by the commands that stand there."""

import os
import re
import shlex
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from django.contrib.auth import get_user_model
from django.utils import timezone

from backup_app.management import started_jobs
from backup_app.models import (
    ApiKey,
    Client,
    Fileset,
    Folder,
    Job,
    Pool,
    Storage,
    Volume,
    Worker,
    Zone,
)
from tests.postgresql import find_server, new_database
from tests.prerequisites import need, need_zstd

from .support.commands import command, worker
from .support.factories import (
    AccountFactory,
    ClientFactory,
    FilesetFactory,
    JobFactory,
    PoolFactory,
    StorageFactory,
)
from .support.local_backups import back_up, over_ssh
from .support.recording_run import Recording

PAGE = (Path(__file__).parents[2] / "docs/recovery.md").read_text()
ABSOLUTE = r"^/(?=$|(?:etc|mnt|srv|var)/)"  # a path, or the root itself
FINDS = {"doctor", "check_storage", "backup_status"}  # whose exit code tells what they found


def commands(title):
    """Return the command lines of a chapter."""
    chapter = re.split(r"^##+ ", PAGE.partition(f"# {title}\n")[2], flags=re.MULTILINE)[0]
    return re.findall(r"^ {4}(\S.*)$", chapter, re.MULTILINE)


class Host:
    """A host whose absolute paths are below a folder."""

    def __init__(self, root):
        self.root = root
        for name in ("etc", "mnt/copies", "srv/backups", "srv/www", "var/lib/calendar"):
            (root / name).mkdir(parents=True)
        (root / "etc/calendar.env").write_text("PRODUCTION=true\n")

    def path(self, name):
        return self.root / name.lstrip("/")

    def drill(self, title):
        """Run the commands of a chapter; return what they wrote."""
        assert commands(title)
        return "".join(map(self.run, commands(title)))

    def run(self, line):
        words = [
            re.sub(ABSOLUTE, f"{self.root}/", os.path.expandvars(w)) for w in shlex.split(line)
        ]
        if words[0] != "manage":
            done = subprocess.run(words, capture_output=True, text=True)
            assert done.returncode == 0, f"{line}: {done.stderr}"
            return done.stdout
        # Nobody is there to be asked for a password.
        extra = ["--noinput"] if words[1] == "createsuperuser" else []
        ran = command(*words[1:], *extra)
        assert ran.error is None or words[1] in FINDS, f"{line}: {ran.error} {ran.err}"
        return ran.out + ran.err


@pytest.fixture
def host(tmp_path, settings, monkeypatch):
    monkeypatch.setattr(started_jobs, "EVERY", 0.02)
    made = Host(tmp_path)
    settings.BACKUP_ROOT = str(made.path("/var/lib/calendar/backups"))
    return made


@pytest.fixture
def backup(db, host, ssh_server):
    """Backup 42 of the client web1, over SSH, of which all is kept elsewhere too."""
    Worker.objects.create(name="one", process="host:1:2")
    host.path("/srv/www/letter").write_text("Dear reader")
    account = AccountFactory(username="ann", email="ann@example.org")
    storage = StorageFactory(name="backups", path=str(host.path("/srv/backups")))
    client = ClientFactory(
        **over_ssh(ssh_server),
        pk=7,
        name="web1",
        account=account,
        pool=PoolFactory(account=account, storage=storage),
        fileset=FilesetFactory(account=account, include=[{"path": str(host.path("/srv/www"))}]),
    )
    job = JobFactory(pk=42, client=client, status="running", started=timezone.now())
    back_up(client, run=Recording(job))
    host.drill("Storages, settings and keys")
    return job


def lose_the_database():
    for model in (Job, Client, Folder, Fileset, Pool, Storage, Zone, get_user_model()):
        model.objects.all().delete()


def has_come_back():
    (job,) = Job.objects.backups().good()
    assert (job.pk, job.client.name, job.client.account.email) == (42, "web1", "ann@example.org")
    return True


def test_the_database_is_gone(host, backup):
    lose_the_database()

    said = host.drill("Without a dump")

    assert "Would restore 1 job.\nAdded storage 'backups'" in said
    assert "Checked 1 storage: 0 problems." in said
    assert has_come_back()
    assert get_user_model().objects.get().is_superuser
    assert "bk_" in host.run("manage create_api_key ann@example.org")


@pytest.mark.django_db(transaction=True)
def test_a_storage_is_gone_and_there_is_a_copy(host, backup):
    shutil.rmtree(host.path("/srv/backups"))
    assert "✗ storage backups" in command("doctor").out

    with worker():
        said = host.drill("With a copy of the storage")

    assert "Checked 1 storage: 0 problems." in said
    assert re.search(r"verification of client 'web1', completed: \d+ files, 11 bytes\.", said)


@pytest.mark.django_db(transaction=True)
def test_a_storage_is_gone_and_there_is_no_copy(host, backup):
    shutil.rmtree(host.path("/srv/backups"))

    with worker():
        said = host.drill("Without a copy")

    assert "Labelled 1 storage." in said
    newest = Job.objects.backups().good().first()
    assert (newest.level, newest.volume.job_id) == ("Full", newest.pk)
    assert newest.pk != 42


@pytest.mark.django_db(transaction=True)
def test_the_host_is_gone(host, backup):
    lose_the_database()
    for name in ("/etc", "/srv/backups", "/var/lib/calendar/backups"):
        shutil.rmtree(host.path(name))
    first, second, *last = commands("The host is gone")

    host.run(first)
    host.run(second)
    host.drill("Without a dump")
    with worker():
        said = "".join(map(host.run, last))

    assert host.path("/etc/calendar.env").read_text() == "PRODUCTION=true\n"
    assert re.search(r"verification of client 'web1', completed: \d+ files, 11 bytes\.", said)
    assert "✓ client web1 of ann: It answers (over SSH)." in said


def test_the_key_is_lost(host, backup, ssh_server):
    said = host.drill("The SSH key of the service")

    assert "✗ client web1 of ann: Client 'web1' cannot be reached" in said
    ssh_server.admit(said.splitlines()[-1])
    assert "✓ client web1 of ann: It answers" in host.run("manage doctor --clients")


def test_an_api_key_is_lost(host, backup):
    ApiKey.objects.create(account=backup.account, prefix="0123456789ab")

    said = host.drill("An API key")

    assert "Revoked the API key 0123456789ab of ann." in said
    assert [key.account.username for key in ApiKey.objects.usable()] == ["ann"]


@pytest.mark.django_db(transaction=True)
def test_a_machine_that_was_backed_up_is_gone(host, backup):
    letter = host.path("/srv/www/letter")
    letter.unlink()
    Client.objects.update(host_key="ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDYuLx")

    with worker():
        host.drill("A machine that was backed up is gone")

    assert letter.read_text() == "Dear reader"


def test_plain_tools_read_a_volume(host, backup):
    need_zstd()
    assert Volume.objects.get().path == "volumes/7/job-42.tar.zst"

    host.drill("Without this service")

    (letter,) = host.path("/srv/rescue").rglob("letter")
    assert letter.read_text() == "Dear reader"


def test_a_dump_of_postgresql_is_put_back(host, monkeypatch):
    need(find_server(), "of dumps of PostgreSQL", "CATALOG_SERVER=postgres://…")
    import psycopg  # which is not needed on SQLite

    dump, restore = commands("The database")[0], commands("With a dump of the database")[0]
    with new_database() as lost, new_database() as empty:
        with psycopg.connect(lost) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 7 AS number")
        monkeypatch.setenv("DATABASE_URL", lost)
        host.run(dump)
        monkeypatch.setenv("DATABASE_URL", empty)
        host.run(restore)

        with psycopg.connect(empty) as connection:
            assert connection.execute("SELECT number FROM kept").fetchall() == [(7,)]


def test_what_is_newer_than_the_dump_comes_back(host, backup):
    Job.objects.all().delete()
    _, *others = commands("With a dump of the database")

    said = "".join(map(host.run, others))

    assert said.endswith("Restored 1 job.\n")
    assert has_come_back()


def test_a_copy_of_sqlite_can_be_opened(host):
    need(shutil.which("sqlite3"), "of dumps of SQLite", "apt install sqlite3")
    with closing(sqlite3.connect(host.path("/var/lib/calendar/db.sqlite3"))) as database:
        database.execute("CREATE TABLE kept AS SELECT 7 AS number")
    (line,) = [each for each in commands("The database") if each.startswith("sqlite3")]

    # The path in its last word is SQLite's to read.
    host.run(line.replace("/mnt", f"{host.root}/mnt"))

    with closing(sqlite3.connect(host.path("/mnt/copies/calendar.sqlite3"))) as database:
        assert database.execute("SELECT number FROM kept").fetchall() == [(7,)]


def test_every_command_of_the_page_is_run_here():
    run = Path(__file__).read_text()

    titles = [
        title
        for title in re.findall(r"^##+ (.*)$", PAGE, re.MULTILINE)
        if commands(title) and f'"{title}"' not in run
    ]

    assert titles == []
