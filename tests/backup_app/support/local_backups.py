"""Real backups of folders on this machine, for tests."""

import os
from contextlib import contextmanager
from pathlib import Path

from django.test import override_settings
from django.utils import timezone

from backup_app.engines.archive import ArchiveEngine
from backup_app.engines.archive.transport import server_key
from backup_app.models import Entry, Job

from .factories import ClientFactory, JobFactory, StorageFactory
from .machine.sshd import Server
from .recording_run import Recording

KiB = 1024


def local_client(folder: Path, *, include=None, fileset=None, **values):
    """Return a client that backs up ``folder/tree`` into ``folder/storage``, both made if needed.

    ``include`` are other paths, ``fileset`` other values of the fileset. BACKUP_LOCAL_ROOTS must
    contain them: see ``local_roots``.
    """
    (folder / "tree").mkdir(exist_ok=True)
    (folder / "storage").mkdir(exist_ok=True)
    storage = StorageFactory(path=str(folder / "storage"))
    client = ClientFactory(pool__storage=storage, **values)
    paths = [folder / "tree"] if include is None else include
    client.fileset.include = [{"path": str(path)} for path in paths]
    for name, value in (fileset or {}).items():
        setattr(client.fileset, name, value)
    client.fileset.save()
    return client


def over_ssh(server: Server) -> dict:
    """Return the values of a client over SSH; its server lets our key in."""
    server.admit(server_key.public_key())
    return {
        "connection": "ssh",
        "ip": "127.0.0.1",
        "ssh_port": server.port,
        "host_key": server.host_key,
    }


@contextmanager
def local_roots(*folders: Path):
    """Let this machine's clients back up and restore these folders."""
    with override_settings(BACKUP_LOCAL_ROOTS=[str(folder) for folder in folders]):
        yield


def begin(client, level="Full") -> Job:
    """Return a new running backup of a client."""
    job = JobFactory(client=client, level=level, status=Job.Status.RUNNING, started=timezone.now())
    return Job.objects.select_related(
        "client", "fileset", "pool", "storage__zone", "account", "parent"
    ).get(pk=job.pk)


def back_up(client, level="Full", *, engine=None, run=None) -> Job:
    """Make a backup from beginning to end, as ``running.py`` does, and return its finished job.

    ``job.run`` has the log. An exception ends it as failed, with nothing left, and is raised.
    """
    engine = engine or ArchiveEngine(frame_bytes=64 * KiB, threads=1)
    job = run.job if run else begin(client, level)
    run = run or Recording(job)
    try:
        outcome = engine.backup(run)
    except BaseException:
        engine.discard(job)
        Job.objects.filter(pk=job.pk).update(status=Job.Status.FAILED, ended=timezone.now())
        raise
    job.status = Job.Status.WARNINGS if outcome.warnings else Job.Status.COMPLETED
    job.files, job.bytes, job.stored_bytes = outcome.files, outcome.bytes, outcome.stored_bytes
    job.errors, job.message, job.ended = outcome.warnings, outcome.message, timezone.now()
    job.save()
    job.run = run
    return job


def view(job) -> dict[bytes, Entry]:
    """Return the entries of a job's view by path, by the plain definition of a view."""
    newest: dict[tuple, Entry] = {}
    sources = job.source_links.values_list("source_id", flat=True)
    for entry in Entry.objects.filter(job__in=list(sources)).order_by("job_id"):
        newest[entry.folder_id, entry.name] = entry
    found = [entry for entry in newest.values() if entry.kind != "-"]
    return {path_of(entry): entry for entry in found}


def path_of(entry: Entry) -> bytes:
    """Return the path of an entry."""
    path = entry.folder.path
    return path if not entry.name else path.rstrip(b"/") + b"/" + entry.name


def hard_links(job) -> list[Path]:
    """Return the paths of a backup's hard links; the disk decides which name of a file it is."""
    return [Path(os.fsdecode(path_of(entry))) for entry in job.entries.filter(kind="h")]


def stored(job) -> dict[bytes, str]:
    """Return path and kind of all entries that a job itself added."""
    return {path_of(entry): entry.kind for entry in Entry.objects.filter(job=job)}


def volume_of(job) -> Path:
    return Path(job.storage.path) / job.volume.path
