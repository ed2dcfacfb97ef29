"""The limits of a backup's size: the quota of its pool, the capacity and disk of its storage."""

import shutil
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path

from django.db.models import Sum

from ....exceptions import EngineError
from ....models import Job, Pool, Storage
from ...shared.job_parts import pool_of, storage_of


@dataclass(frozen=True)
class Limit:
    """How many bytes may be stored, and the error message beyond that; None is no limit."""

    size: int | None
    refusal: str = ""

    def require(self, size: int) -> None:
        """Raise EngineError if ``size`` bytes are too many."""
        if self.size is not None and size > self.size:
            raise EngineError(self.refusal)


def limit_for(job: Job) -> Limit:
    """Return the smaller of what is left of a pool's quota and a storage's capacity."""
    pool, storage = pool_of(job), storage_of(job)
    used_up = f"The quota of the pool '{pool}' is used up: {pool.quota_bytes} bytes."
    full = f"The storage '{storage}' has reached its capacity: {storage.capacity} bytes."
    limits = [
        Limit(left(pool.quota_bytes, pool=pool), used_up),
        Limit(left(storage.capacity, storage=storage), full),
    ]
    sizes = [(limit.size, limit) for limit in limits if limit.size is not None]
    return min(sizes, key=itemgetter(0), default=(None, Limit(None)))[1]


def left(allowed: int | None, **place: Pool | Storage) -> int | None:
    """Return how many of the allowed bytes are unused; None if there is no limit."""
    if allowed is None:
        return None
    used = Job.objects.backups().good().filter(**place).aggregate(used=Sum("stored_bytes"))
    return allowed - int(used["used"] or 0)


def disk_usage(storage: Storage) -> tuple[int, int] | None:
    """Return (capacity, free) in bytes of the disk that a storage's folder is, or will be, on.

    None if that is unknown.
    """
    if not storage.path:
        return None
    try:
        usage = shutil.disk_usage(_nearest(Path(storage.path)))
    except OSError:
        return None
    return usage.total, usage.free


def _nearest(folder: Path) -> Path:
    """Return the folder, or the first above it that exists."""
    return next(place for place in (folder, *folder.parents) if place.exists())
