"""How much a backup may store: the quota of its pool, the capacity and disk of its storage."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from django.db.models import Sum

from ....exceptions import EngineError
from ....models import Job


@dataclass(frozen=True)
class Limit:
    """So many bytes may be stored, or ``refusal`` is said; None is no limit."""

    size: int | None
    refusal: str = ""

    def require(self, size: int) -> None:
        """Raise EngineError if ``size`` bytes are too many."""
        if self.size is not None and size > self.size:
            raise EngineError(self.refusal)


def limit_for(job: Job) -> Limit:
    """Return the narrower of what the pool and the storage of a job have left."""
    pool, storage = job.pool, job.storage
    limits = [
        Limit(
            left(pool.quota_bytes, pool=pool),
            f"The quota of the pool '{pool}' is used up: {pool.quota_bytes} bytes.",
        ),
        Limit(
            left(storage.capacity, storage=storage),
            f"The storage '{storage}' has reached its capacity: {storage.capacity} bytes.",
        ),
    ]
    narrow = [limit for limit in limits if limit.size is not None]
    return min(narrow, key=lambda limit: limit.size, default=Limit(None))


def left(allowed: int | None, **where) -> int | None:
    """Return how many bytes are left of those that are allowed."""
    if allowed is None:
        return None
    used = Job.objects.backups().good().filter(**where).aggregate(used=Sum("stored_bytes"))
    return allowed - (used["used"] or 0)


def disk_usage(storage) -> tuple[int, int] | None:
    """Return (capacity, free) in bytes of the disk that a storage's folder is, or will be, on.

    None where it cannot be asked.
    """
    if not storage.path:
        return None
    try:
        usage = shutil.disk_usage(_nearest(Path(storage.path)))
    except OSError:
        return None
    return usage.total, usage.free


def _nearest(folder):
    """Return the folder, or of those above it the first that is there."""
    return next(place for place in (folder, *folder.parents) if place.exists())
