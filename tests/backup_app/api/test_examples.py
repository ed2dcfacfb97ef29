"""The examples in the API's description are what it answers on a small catalog."""

import datetime as dt
from contextlib import contextmanager
from pathlib import Path

import pytest
import time_machine
from drf_spectacular.generators import SchemaGenerator

import backup_app
from backup_app.engines.values import ClientConfig
from backup_app.exceptions import EngineError, EngineUnreachable
from backup_app.models import Entry, Job, Mailbox
from tests.recording import Recorder, count_ids_from_one

from ..support.api_client import client_of, client_with
from ..support.catalog_rows import catalogued, folder_of
from ..support.factories import (
    AccountFactory,
    ClientFactory,
    FilesetFactory,
    PoolFactory,
    StorageFactory,
    ZoneFactory,
)
from ..support.world import DeskEngine

FILE = Path(backup_app.__file__).parent / "api/examples.json"
NOW = dt.datetime(2030, 3, 1, 9, tzinfo=dt.UTC)
IP = {"client_ip": "192.0.2.10"}
PASSWORD = "Lighthouse & 12 boats"
FILESET = {
    "name": "web",
    "include": [{"path": "/etc"}, {"path": "/srv"}],
    "exclude": ["*.tmp", "/srv/cache"],
    "options": {"one_filesystem": True, "compression": 3},
    "databases": [{"kind": "mysql", "name": "shop"}],
    "verify": False,
    "schedule": "30 2 * * *",
}


class ExampleEngine(DeskEngine):
    """Answers for machines as they would; ``failure`` is raised instead."""

    failure: Exception | None = None

    def client_config(self, client):
        script = f"# Backup of '{client.name}' ({client.ip}): run this on it as root, once.\n…\n"
        return ClientConfig("backup-client.sh", script)

    def run_command(self, client, command):
        if self.failure:
            raise self.failure
        return " 09:00:00 up 41 days,  3:17,  1 user,  load average: 0.08, 0.03, 0.01\n"

    def disk_usage(self, storage):
        return 2_000_000_000_000, 1_250_000_000_000

    def plan_download(self, job, tick=lambda: None):
        return 9_437_184, b""


class Place:
    """An account with a machine and two backups of it, in the catalog."""

    def __init__(self):
        self.account = AccountFactory(username="alice", email="alice@example.org")
        owned = {"account": self.account}
        zone = ZoneFactory(name="local", title="This machine")
        self.storage = StorageFactory(name="disk", zone=zone, path="/var/backups/disk")
        self.pool = PoolFactory(name="daily", storage=self.storage, **owned)
        self.fileset = FilesetFactory(name="home", include=[{"path": "/home"}], **owned)
        self.machine = ClientFactory(
            name="web1",
            ip=IP["client_ip"],
            connection="ssh",
            schedule="30 2 * * *",
            pool=self.pool,
            fileset=self.fileset,
            **owned,
        )
        self.backup = self._backup()
        self.letter = Entry.objects.get(job=self.backup, name=b"letter.txt")
        self.home = folder_of(self.machine, b"/home/alice").pk
        Mailbox.objects.create(
            client=self.machine,
            mailbox="alice@example.org",
            pst_path="/home/alice/mail/alice@example.org.pst",
            pst_file_id=self.letter.pk,
            pst_size=271_360,
            pst_mtime=NOW - dt.timedelta(days=2),
            store_path="/srv/mail/alice.edb",
            job=self.backup,
        )

    def _backup(self):
        files = {
            b"/home/alice/documents/budget.csv": ("f", 2_381),
            b"/home/alice/documents/letter.txt": ("f", 812),
            b"/home/alice/notes": ("f", 95),
        }
        started = NOW - dt.timedelta(hours=6, minutes=30)
        backup = catalogued(
            self.machine,
            files,
            started=started,
            ended=started + dt.timedelta(minutes=4),
            files=3,
            bytes=3_288,
            stored_bytes=1_904,
            files_done=3,
            bytes_done=3_288,
            message="Backup completed.",
        )
        Entry.objects.update(mtime_ns=int((NOW - dt.timedelta(days=9)).timestamp()) * 10**9)
        Entry.objects.update(owner="alice", group="alice")
        Job.objects.update(created=started)
        backup.log.create(time=started, level="info", message="Backup of 'web1' started.")
        backup.log.create(time=backup.ended, level="info", message=backup.message)
        return backup


@pytest.fixture
def recorder(db, settings):
    settings.BACKUP_ENGINES = {"default": {"BACKEND": f"{__name__}.ExampleEngine", "OPTIONS": {}}}
    document = SchemaGenerator().get_schema(request=None, public=True)
    return BackupRecorder(document)


class BackupRecorder(Recorder):
    def ask(self, client, operation, **request):
        return super().ask(client, f"backup_{operation}", **request)


@pytest.fixture
def place(db):
    count_ids_from_one("backup_app_", "auth_user")
    with time_machine.travel(NOW, tick=False):
        yield Place()


def test_the_examples_are_what_is_answered(recorder, place):
    api = client_of(place.account)
    set_up(recorder, api)
    look(recorder, api, place)
    fetch(recorder, api, place)
    be_refused(recorder, api, place)
    work(recorder, api, place)

    recorder.require_same(FILE)


def set_up(recorder, api):
    """Ask for what prepares backups: pools, filesets, clients and subusers."""
    recorder.ask(api, "zones")
    recorder.ask(api, "supported_systems")
    pool = {
        "name": "monthly",
        "retention_days": 365,
        "keep_full": 2,
        "quota_bytes": 500_000_000_000,
    }
    recorder.ask(api, "save_pool", body=pool)
    recorder.ask(api, "save_fileset", body=FILESET)
    new = {"name": "db1", "IP": "192.0.2.20", "pool": "monthly", "fileset": "web"}
    recorder.ask(api, "generate_config", system="unix", body=new)
    recorder.ask(api, "get_config", system="unix", **IP)
    recorder.ask(api, "backup_options", system="unix", **IP)
    sam = {"Login": "sam", "Firstname": "Sam", "Lastname": "Field", "Email": "sam@example.org"}
    recorder.ask(api, "add_subuser", body=sam)
    recorder.ask(api, "set_password", body={"subuser": "sam", "Password": PASSWORD})
    recorder.ask(api, "grant_access", body={"subuser": "sam", "client": "web1"})
    recorder.ask(api, "subuser_exists", body={"subuser": "sam"})
    recorder.ask(api, "bare_metal_restore", body={"subuser": "sam"})


def look(recorder, api, place):
    """Ask for what there is."""
    of_sam, job = {"subuser": "sam"}, {"job_id": place.backup.pk}
    recorder.ask(api, "list_storages", body=of_sam)
    recorder.ask(api, "get_pool", pool_name="daily", body={"getstorage": "disk"})
    recorder.ask(api, "list_servers", body=of_sam)
    recorder.ask(api, "system", server_ip=IP["client_ip"])
    recorder.ask(api, "client_name_by_ip", **IP)
    february = {"from": "2030-02-01 00:00:00", "to": "2030-03-31 23:59:59"}
    recorder.ask(api, "backups", body={"path": "/home/alice", **february}, **IP)
    recorder.ask(api, "my_jobs", body={**of_sam, "status": "completed", "limit": 50, "offset": 0})
    recorder.ask(api, "status", **job)
    recorder.ask(api, "job_log", body=of_sam, **job)
    folder = "/home/alice/documents"
    recorder.ask(api, "files", body={"path": folder}, **job)
    recorder.ask(api, "nodes", body={"path": "/home"}, node_id=place.home, **job)
    recorder.ask(api, "restore_tree", body={"name": "/home/alice", "home": "/home/alice"}, **IP)
    recorder.ask(api, "mailbox_file", body={"mailbox": "alice@example.org"}, **IP)
    recorder.ask(api, "mailbox_path", body={"mailbox": "alice@example.org"}, **IP)
    recorder.ask(api, "mailbox_search", body={"search": "alice"}, **IP)


def fetch(recorder, api, place):
    """Ask for the download of a backup, when it is ready and while it is prepared."""
    job = {"job_id": place.backup.pk, **IP}
    recorder.ask(api, "download_info", **job)
    download = place.backup.download
    download.state = "preparing"
    download.save()
    recorder.ask(api, "download_info", status=202, **job)
    download.state = "ready"
    download.save()


def work(recorder, api, place):
    """Ask for what starts jobs or ends a client."""
    job = {"job_id": place.backup.pk, **IP}
    documents = {"files": ["/home/alice/documents"], "path": "/home/alice/restored"}
    recorder.ask(api, "restore", body=documents, **job)
    by_id = {"home": "/home/alice", "nodes": [place.home], "files": [place.letter.pk]}
    recorder.ask(api, "restore_nodes", body={**by_id, "path": "/home/alice/restored"}, **job)
    recorder.ask(
        api, "restore_mysql", body={"client": "db1"}, job_id=place.backup.pk, db_name="shop"
    )
    asked = {"fileset": "home", "pool": "daily"}
    started = recorder.ask(api, "backup_now", body=asked, level="incremental", **IP)
    recorder.ask(api, "cancel", job_id=started["job_id"])
    recorder.ask(api, "run", body={"cmd": "uptime"}, **IP)
    api.post("/api/genconfig/unix", {"name": "old1", "IP": "192.0.2.30"})
    recorder.ask(api, "delete_client", client_name="old1")


def be_refused(recorder, api, place):
    job = {"job_id": place.backup.pk}
    sam = client_with("sam", PASSWORD)
    recorder.ask(api, "files", status=400, body={"path": "documents"}, **job)
    recorder.ask(client_with("alice@example.org", "wrong"), "zones", status=401)
    recorder.ask(sam, "zones", status=403)
    recorder.ask(api, "status", status=404, job_id=999)
    recorder.ask(api, "cancel", status=409, **job)
    recorder.ask(api, "save_pool", status=413, body={"name": "x" * 10_000_000})
    recorder.ask(api, "save_pool", status=415, body="name=daily", form="text/plain")
    with_range = client_of(place.account)
    with_range.credentials(**with_range._credentials, HTTP_RANGE="bytes=9000000-")
    recorder.ask(with_range, "download", status=416, chunk=0, **job, **IP)
    guesser = client_with("sam", "guess")
    while guesser.get("/api/getbaaszones").status_code != 429:
        pass
    recorder.ask(guesser, "zones", status=429)
    for failure in (EngineError("tar: not found"), EngineUnreachable("ssh: no route to host")):
        with failing(failure):
            recorder.ask(api, "run", status=failure.status, body={"cmd": "uptime"}, **IP)


@contextmanager
def failing(failure):
    ExampleEngine.failure = failure
    yield
    ExampleEngine.failure = None
