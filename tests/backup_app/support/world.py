"""Two accounts, each with two subusers who each see one client: who may see what of whom."""

from contextlib import nullcontext
from dataclasses import dataclass
from types import SimpleNamespace

from django.contrib.auth.hashers import make_password
from django.db import connection

from backup_app.engines.archive import ArchiveEngine
from backup_app.engines.values import ClientConfig
from backup_app.models import Entry, Mailbox

from .api_client import client_of, client_with
from .catalog_rows import catalogued, folder_of
from .factories import (
    AccountFactory,
    ClientFactory,
    FilesetFactory,
    JobFactory,
    PoolFactory,
    StorageFactory,
    SubuserFactory,
)

PASSWORD = "correct horse battery staple"
ENGINE = {"default": {"BACKEND": "tests.backup_app.support.world.DeskEngine", "OPTIONS": {}}}


class Desk:
    """Of machines and volumes an engine only says that they are there."""

    def client_config(self, client):
        return ClientConfig("setup.sh", client.name)

    def run_command(self, client, command):
        return client.name

    def find_dump(self, job, name, kind="mysql"):
        pass

    def require_database(self, client, kind, name):
        pass

    def require_destination(self, client, path):
        pass

    def plan_download(self, job, tick=lambda: None):
        return 4, b""

    def may_be_slow_to_plan(self, job):
        return False

    def open_download(self, job, plan):
        return nullcontext(SimpleNamespace(read=lambda offset, length: [b"tar\n"]))


class DeskEngine(Desk, ArchiveEngine):
    """Reads the catalog and nothing else."""


@dataclass(frozen=True)
class Things:
    """What a request can name of one owner: of an account, the part that one subuser sees."""

    ip: str = "203.0.113.99"
    client: str = "missing-client"
    login: str = "missing-login"
    pool: str = "missing-pool"
    fileset: str = "missing-fileset"
    storage: str = "missing-storage"
    job: int = 987654321
    queued: int = 987654322
    node: int = 987654323
    path: str = "/missing/file"
    file: int = 987654324

    def hidden_in(self, text: str) -> str:
        """Return a text without anything that is only of this owner."""
        for value in sorted(map(str, vars(self).values()), key=len, reverse=True):
            text = text.replace(value, "…")
        return text


@dataclass(frozen=True)
class Party:
    """Somebody who sends requests, with what is theirs."""

    name: str
    account: object
    things: Things
    api: object
    login: str
    is_subuser: bool


class Catalogued:
    """The things of an engine that keeps its catalog here; other engines have another such."""

    def storage(self, name):
        return StorageFactory(name=f"storage-{name}")

    def client(self, name, **fields):
        return ClientFactory(name=f"client-{name}", connection="ssh", **fields)

    def fileset(self, name, account):
        return FilesetFactory(account=account, name=f"fileset-{name}")

    def backups(self, clients):
        """Return of each client a backup of a folder that no other one has, and the IDs in it.

        As (job, ID of the folder, path and ID of a file in it).
        """
        return [self._backup(client) for client in clients]

    def _backup(self, client):
        backup = catalogued(client, {b"/etc/other": "f", b"/srv/file": "f"}, files=2)
        file = Entry.objects.get(job=backup, name=b"file")
        return backup, folder_of(client, b"/srv").pk, "/srv/file", file.pk


def make_world(setting=None) -> dict[str, Party]:
    """Return the parties by name: a and b are accounts, a1, a2, b1 and b2 their subusers."""
    setting = setting or Catalogued()
    accounts = {
        name: AccountFactory(username=f"account-{name}", email=f"{name}@example.org")
        for name in "ab"
    }
    clients = {
        f"{name}{n}": _client(f"{name}{n}", accounts[name], setting) for name in "ab" for n in "12"
    }
    backups = setting.backups(list(clients.values()))
    parties = {
        name: _subuser(name, client, _things(name, client, *backup))
        for (name, client), backup in zip(clients.items(), backups, strict=True)
    }
    for name, account in accounts.items():
        things = parties[f"{name}1"].things
        parties[name] = Party(name, account, things, client_of(account), account.email, False)
    return parties


def _client(name, account, setting):
    pool = PoolFactory(account=account, name=f"pool-{name}", storage=setting.storage(name))
    fileset = setting.fileset(name, account)
    return setting.client(name, account=account, pool=pool, fileset=fileset)


def _subuser(name, client, things):
    subuser = SubuserFactory(
        account=client.account, login=things.login, password=make_password(PASSWORD)
    )
    subuser.grants.create(client=client)
    api = client_with(things.login, PASSWORD)
    return Party(name, client.account, things, api, things.login, True)


def _things(name, client, backup, node, path, file):
    mailbox = {"mailbox": "box@example.org", "pst_path": "/x.pst", "store_path": "/x.edb"}
    Mailbox.objects.create(client=client, **mailbox, job=backup)
    return Things(
        ip=client.ip,
        client=client.name,
        login=f"login-{name}",
        pool=client.pool.name,
        fileset=client.fileset.name,
        storage=client.pool.storage.name,
        job=backup.pk,
        queued=JobFactory(client=client, type="restore", level=None, parent=backup).pk,
        node=node,
        path=path,
        file=file,
    )


def kept() -> dict[str, list]:
    """Return all rows that a request may change, but for the audit, logins and uses of keys."""
    from django_tasks_db.models import DBTaskResult

    from backup_app import models

    tables = [getattr(models, name) for name in models.__all__]
    noted = models.AuditEntry, models.ApiKey, models.LoginAttempt
    with connection.cursor() as cursor:
        return {
            table.__name__: _rows(cursor, table._meta)
            for table in [*(t for t in tables if t not in noted), DBTaskResult]
        }


def _rows(cursor, meta):
    """Return all rows of a table; building models of them would take most of a test's time."""
    cursor.execute(f'SELECT * FROM "{meta.db_table}" ORDER BY "{meta.pk.column}"')  # noqa: S608
    return cursor.fetchall()
