"""Backups that exist in the catalog only, for tests of what reads nothing else."""

from backup_app.lib import paths
from backup_app.models import Entry, Folder
from backup_app.models.job import JobSource

from .factories import JobFactory

SECOND = 10**9


def folder_of(client, path):
    """Return the folder of a client with a path, made with those above it if need be."""
    above, name = paths.split(path)
    parent = None if path == b"/" else folder_of(client, above)
    return Folder.objects.get_or_create(
        client=client,
        path_hash=paths.digest(path),
        defaults={"parent": parent, "name": name, "path": path},
    )[0]


def catalogued(client, entries, base=None, **values):
    """Return a good backup with ``{path: kind, or (kind, size)}``, on top of another's view.

    A full one also has the folders above its paths.
    """
    level = "Incremental" if base else "Full"
    job = JobFactory(client=client, **{"status": "completed", "level": level} | values)
    sources = [link.source for link in base.source_links.all()] if base else []
    JobSource.objects.bulk_create([JobSource(job=job, source=s) for s in [*sources, job]])
    wanted = dict(entries) if base else _above(entries) | entries
    for path, kind in wanted.items():
        add_entry(job, path, *(kind if isinstance(kind, tuple) else (kind,)))
    return job


def add_entry(job, path, kind, size=0):
    folder, name = paths.split(path)
    return Entry.objects.create(
        job=job,
        folder=folder_of(job.client, folder),
        node=folder_of(job.client, path) if kind == "d" else None,
        name=name,
        kind=kind,
        size=size,
        mtime_ns=job.pk * SECOND,
        mode=0o755 if kind == "d" else 0o644,
        owner="root",
        group="staff",
        sha256=bytes(32) if kind == "f" else None,
    )


def _above(entries):
    found = {b"/": "d"}
    for path in entries:
        while path != b"/":
            path = paths.split(path)[0]
            found[path] = "d"
    return found
