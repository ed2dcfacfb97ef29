"""Manifests: beside each volume, all that the database knows of it.

Lines of JSON in zstd frames. The first is an object with ``format``, the job, its surroundings,
its volume and the ``columns`` of the other lines, which are lists. Paths, names and targets are
text in which each character is one byte (Latin-1); hashes are hexadecimal.
"""

from collections.abc import Iterable
from pathlib import Path

import orjson
import zstandard
from django.utils import timezone

from ....models import Job

FORMAT = 1
COLUMNS = (
    "path kind size mtime_ns ctime_ns inode mode owner group target sha256 offset length".split()
)
SUFFIX = ".manifest"


class ManifestWriter:
    """Collects the lines of entries in a file of their own until the first one is known."""

    def __init__(self, path: Path):
        self._path = path
        self._file = path.open("xb")
        self._stream = zstandard.ZstdCompressor(3, write_checksum=True).stream_writer(
            self._file, closefd=False
        )

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self._file.close()

    def add(self, rows: Iterable[tuple]) -> None:
        """Add rows of ``COLUMNS``, with text where the module says so."""
        self._stream.write(b"".join(orjson.dumps(row) + b"\n" for row in rows))

    def finish(self, head: dict, sync) -> Path:
        """Write the whole manifest to the disk and return its temporary place."""
        self._stream.close()
        self._file.close()
        whole = self._path.with_suffix(".whole")
        line = orjson.dumps({"format": FORMAT, **head, "columns": COLUMNS}) + b"\n"
        with whole.open("xb") as target, self._path.open("rb") as lines:
            target.write(zstandard.ZstdCompressor(3, write_checksum=True).compress(line))
            while block := lines.read(1024 * 1024):
                target.write(block)
            sync(target)
        return whole


def head(job: Job, volume: dict, sources: dict[str, int]) -> dict:
    """Return what a manifest says of its job, so that the job can be made again from it.

    ``sources`` are the IDs of the backups that its view consists of, by their volumes.
    """
    client, fileset, pool = job.client, job.fileset, job.pool
    return {
        "job": {
            "id": job.pk,
            "name": job.name,
            "level": job.level,
            "engine": job.engine,
            "requested_by": job.requested_by,
            "created": job.created,
            "started": job.started,
            "ended": timezone.now(),  # but for what follows this manifest
            "sources": list(sources.values()),
            "volumes": list(sources),
        },
        "account": {"login": job.account.get_username(), "email": job.account.email},
        "client": {
            "id": client.pk,
            "name": client.name,
            "ip": client.ip,
            "internal_ip": client.internal_ip,
            "system": client.system,
            "connection": client.connection,
            "ssh_user": client.ssh_user,
            "ssh_port": client.ssh_port,
            "host_key": client.host_key,
            "schedule": client.schedule,
        },
        "fileset": {
            "name": fileset.name,
            "include": fileset.include,
            "exclude": fileset.exclude,
            "options": fileset.options,
            "databases": fileset.databases,
            "verify": fileset.verify,
            "schedule": fileset.schedule,
        },
        "pool": {
            "name": pool.name,
            "retention_days": pool.retention_days,
            "keep_full": pool.keep_full,
            "quota_bytes": pool.quota_bytes,
        },
        "zone": {"name": client.zone.name, "title": client.zone.title},
        "volume": volume,
    }
