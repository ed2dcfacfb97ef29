"""The use of storages: bytes, pools and free space."""

from collections.abc import Iterable
from typing import Any

from django.db.models import Sum

from ..engines import get_engine
from ..exceptions import EngineError
from ..models import Job, Pool, Storage


def used_bytes(storages: Iterable[Storage]) -> dict[int, int]:
    """Return the bytes of the good backups in each storage, by its ID."""
    backups = Job.objects.backups().good().filter(storage__in=storages)
    jobs = backups.order_by().values_list("storage")
    return dict(jobs.annotate(used=Sum("stored_bytes")))


def pool_names(account: Any, storages: Iterable[Storage]) -> dict[int, list[str]]:
    """Return the names of an account's pools in each storage, by its ID."""
    names: dict[int, list[str]] = {}
    pools = Pool.objects.filter(account=account, storage__in=storages)
    for storage_id, name in pools.values_list("storage", "name"):
        names.setdefault(storage_id, []).append(name)
    return names


def space(storage: Storage, used: int) -> dict[str, int | None]:
    """Return ``capacity``, ``used`` and ``free`` in bytes; None is unknown.

    A capacity that the operator set counts, with ``used``, the bytes of backups, subtracted;
    otherwise the numbers of the disk.
    """
    disk = _disk(storage)
    if storage.capacity is not None:
        left = max(0, storage.capacity - used)
        free = min(left, disk[1]) if disk else left
        return {"capacity": storage.capacity, "used": used, "free": free}
    if disk:
        capacity, free = disk
        return {"capacity": capacity, "used": capacity - free, "free": free}
    return {"capacity": None, "used": used, "free": None}


def _disk(storage: Storage) -> tuple[int, int] | None:
    try:
        return get_engine(storage.zone.engine).disk_usage(storage)
    except EngineError:
        return None  # one unreachable storage must not hide the others
