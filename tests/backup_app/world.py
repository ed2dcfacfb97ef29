"""Two accounts, each with two subusers who each see one client: who may see what of whom."""

from contextlib import nullcontext
from dataclasses import dataclass
from types import SimpleNamespace

from django.contrib.auth.hashers import make_password

from backup_app.engines.archive import ArchiveEngine
from backup_app.engines.base import ClientConfig
from backup_app.models import Client, Entry, Mailbox

from .catalogs import catalogued, folder_of
from .client import client_of, client_with
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
ENGINE = {"default": {"BACKEND": "tests.backup_app.world.DeskEngine", "OPTIONS": {}}}


class DeskEngine(ArchiveEngine):
    """Reads the catalog; of machines and volumes it only says that they are there."""

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


def make_world() -> dict[str, Party]:
    """Return the parties by name: a and b are accounts, a1, a2, b1 and b2 their subusers."""
    parties = {}
    for name in "ab":
        account = AccountFactory(username=f"account-{name}", email=f"{name}@example.org")
        for number in "12":
            party = _subuser(f"{name}{number}", account)
            parties[party.name] = party
        things = parties[f"{name}1"].things
        parties[name] = Party(name, account, things, client_of(account), account.email, False)
    return parties


def _subuser(name, account):
    things = _things(name, account)
    subuser = SubuserFactory(account=account, login=things.login, password=make_password(PASSWORD))
    subuser.grants.create(client=Client.objects.get(name=things.client))
    return Party(name, account, things, client_with(things.login, PASSWORD), things.login, True)


def _things(name, account):
    pool = PoolFactory(
        account=account, name=f"pool-{name}", storage=StorageFactory(name=f"storage-{name}")
    )
    fileset = FilesetFactory(account=account, name=f"fileset-{name}")
    client = ClientFactory(
        account=account, name=f"client-{name}", pool=pool, fileset=fileset, connection="ssh"
    )
    backup = catalogued(client, {b"/srv/file": "f"}, files=1)
    mailbox = {"mailbox": "box@example.org", "pst_path": "/x.pst", "store_path": "/x.edb"}
    Mailbox.objects.create(client=client, **mailbox, job=backup)
    return Things(
        ip=client.ip,
        client=client.name,
        login=f"login-{name}",
        pool=pool.name,
        fileset=fileset.name,
        storage=pool.storage.name,
        job=backup.pk,
        queued=JobFactory(client=client, type="restore", level=None, parent=backup).pk,
        node=folder_of(client, b"/srv").pk,
        file=Entry.objects.get(job=backup, name=b"file").pk,
    )


def kept() -> dict[str, list]:
    """Return all rows of all that a request may change, but for the audit and uses of keys."""
    from django_tasks_db.models import DBTaskResult

    from backup_app import models

    tables = [getattr(models, name) for name in models.__all__]
    noted = models.AuditEntry, models.ApiKey
    return {
        table.__name__: list(table.objects.order_by("pk").values())
        for table in [*(t for t in tables if t not in noted), DBTaskResult]
    }
