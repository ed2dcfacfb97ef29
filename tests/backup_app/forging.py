"""Backups of what no client has, for tests."""

import io
import tarfile

from backup_app.engines.archive.tarstream import TarStream
from backup_app.engines.archive.volumes import VolumeWriter

from .backups import KiB, volume_of
from .catalogs import folder_of


def forge(job, members):
    """Give a backup a volume of other members, and a catalog that fits to them."""
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
