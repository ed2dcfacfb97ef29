"""Backups of what no client has, for tests."""

import io
import tarfile

from backup_app.engines.archive.storage.layout import manifest_path
from backup_app.engines.archive.storage.manifest import COLUMNS, ManifestReader, ManifestWriter
from backup_app.engines.archive.storage.tar_reader import TarStream
from backup_app.engines.archive.storage.volume import VolumeWriter

from .catalog_rows import folder_of
from .local_backups import KiB, path_of, volume_of


def forge(job, members):
    """Give a backup a volume of other members, and a catalog and a manifest that fit to them."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, kind, target in members:
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, target
            member.size = 5 if kind == tarfile.REGTYPE else 0
            tar.addfile(member, io.BytesIO(b"owned"))
    data = buffer.getvalue()
    volume_of(job).unlink()
    job.entries.all().delete()
    blocks = iter([data])
    with VolumeWriter(volume_of(job), frame_bytes=64 * KiB, level=3) as volume:
        for member in TarStream(lambda: next(blocks, b""), volume.write):
            _catalogue(job, member)
        volume.finish()
    record(job)


def record(job, head=None):
    """Let the manifest of a backup say what the catalog says, below another head if given."""
    path = manifest_path(volume_of(job))
    head = head or ManifestReader(path).head
    path.unlink()
    entries = list(job.entries.order_by("offset", "pk"))
    head["volume"]["tar_size"] = max(entry.offset + entry.length for entry in entries)
    with ManifestWriter(path.with_suffix(".lines")) as manifest:
        manifest.add(map(as_line, entries))
        manifest.finish(head).rename(path)
    path.with_suffix(".lines").unlink()


def as_line(entry) -> list:
    """Return what a manifest says of an entry."""
    values = {name: getattr(entry, name) for name in COLUMNS if name != "path"}
    values["target"] = entry.target.decode("latin-1")
    values["sha256"] = entry.sha256.hex() if entry.sha256 else None
    return [path_of(entry).decode("latin-1"), *values.values()]


def _catalogue(job, member):
    folder, _, name = member.path.rpartition(b"/")
    node = folder_of(job.client, member.path) if member.kind == "d" else None
    fields = ("kind", "size", "target", "sha256", "offset", "length")
    job.entries.create(
        folder=folder_of(job.client, folder or b"/"),
        name=name,
        node=node,
        **{field: getattr(member, field) for field in fields},
    )
