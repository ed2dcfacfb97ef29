"""How full the storages are."""

from django.db.models import Sum

from ..engines import get_engine
from ..exceptions import EngineError
from ..models import Job, Pool


def used_bytes(storages) -> dict[int, int]:
    """Return the bytes that backups take, by the ID of their storage."""
    backups = Job.objects.backups().good().filter(storage__in=storages)
    jobs = backups.order_by().values_list("storage")
    return dict(jobs.annotate(used=Sum("stored_bytes")))


def pool_names(account, storages) -> dict[int, list[str]]:
    """Return the names of an account's pools, by the ID of their storage."""
    names = {}
    pools = Pool.objects.filter(account=account, storage__in=storages)
    for storage_id, name in pools.values_list("storage", "name"):
        names.setdefault(storage_id, []).append(name)
    return names


def space(storage, used: int) -> dict[str, int | None]:
    """Return ``capacity``, ``used`` and ``free`` in bytes; None is what nobody can tell.

    Where the operator set a capacity it counts, with what backups take of it (``used``); else the
    disk's own numbers do.
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


def _disk(storage):
    try:
        return get_engine(storage.zone.engine).disk_usage(storage)
    except EngineError:
        return None  # of the other storages more is known
