"""A small estate of clients in all standings, for pages that show how backups do."""

from datetime import timedelta

from django.utils import timezone

from backup_app.models import JobLog, JobSource, Usage

from .factories import (
    ClientFactory,
    FilesetFactory,
    JobFactory,
    PoolFactory,
    StorageFactory,
    ZoneFactory,
)

GIGABYTE = 10**9


def backup(client, *, hours_ago, status="completed", size=40 * GIGABYTE, level="Full", **fields):
    """Return a backup that ended some hours ago and took one, with its own bytes as its source."""
    ended = timezone.now() - timedelta(hours=hours_ago)
    job = JobFactory(
        client=client,
        status=status,
        level=level,
        started=ended - timedelta(hours=1),
        ended=ended,
        bytes=size,
        stored_bytes=size // 3,
        files=18_204,
        **fields,
    )
    if status == "completed":
        JobSource.objects.create(job=job, source=job)
    return job


def make_estate(account, path="/nonexistent"):
    """Return clients by name: protected, overdue, failing, never backed up, and one at work."""
    storage = StorageFactory(
        name="vault", zone=ZoneFactory(name="cellar"), path=path, capacity=900 * GIGABYTE
    )
    pool = PoolFactory(account=account, name="daily", storage=storage)
    fileset = FilesetFactory(account=account, name="system", include=[{"path": "/etc"}])
    names = "web1 web2 db1 mail files laptop".split()
    clients = {
        name: ClientFactory(
            account=account, name=name, pool=pool, fileset=fileset, schedule="30 2 * * *"
        )
        for name in names
    }
    for name in ["web1", "web2", "files"]:
        backup(clients[name], hours_ago=8)
    backup(clients["db1"], hours_ago=80)
    backup(clients["mail"], hours_ago=20)
    error = "The connection to 192.0.2.4 port 22 was refused."
    for name, hours in [("db1", 7), ("mail", 6)]:
        failed = backup(clients[name], hours_ago=hours, status="failed", size=0, message=error)
        JobLog.objects.create(job=failed, level="error", message=error)
    JobFactory(
        client=clients["files"],
        level="Incremental",
        status="running",
        started=timezone.now() - timedelta(minutes=14),
        bytes_expected=60 * GIGABYTE,
        bytes_done=38 * GIGABYTE,
        files_done=9_310,
    )
    JobFactory(client=clients["web2"], type="verify", level=None)
    note_growth(account, storage)
    return clients


def note_growth(account, storage, days=60):
    """Store a growing usage for each of the last days."""
    today = timezone.localdate()
    Usage.objects.bulk_create(
        Usage(
            day=today - timedelta(days=days - number),
            account=account,
            storage=storage,
            protected_bytes=(120 + number * 2) * GIGABYTE,
            stored_bytes=(40 + number * 3 - number % 7) * GIGABYTE,
        )
        for number in range(days + 1)
    )
