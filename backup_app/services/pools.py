"""Saving pools, the default pool, and how much a pool holds."""

from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Count, Sum

from ..exceptions import Invalid, WrongState
from ..models import Job, Pool, Storage, Zone
from .rules import names
from .rules.locked_fields import require_unchanged

DEFAULT = "default"


def save(account: Any, name: str, **values: Any) -> Pool:
    """Create a pool, or change the given values of the account's pool with this name.

    values: ``storage`` (a Storage; by default the first one), ``retention_days``, ``keep_full``,
    ``quota_bytes`` (None for no limit). Deletes no backups: ``prune`` does.
    Raises Invalid, and WrongState without any storage, for a storage in another zone than clients
    of the pool, and for a value that only the engine can change.
    """
    name = names.cleaned(name, "pool")
    _require_valid(values)
    known = Pool.objects.filter(account=account, name=name).first()
    require_unchanged(known, values)
    if known and "storage" in values:
        require_zone(known, values["storage"])
    if not known:
        values.setdefault("storage", first_storage())
    return Pool.objects.update_or_create(account=account, name=name, defaults=values)[0]


def default(account: Any, zone: Zone | None = None) -> Pool:
    """Return the pool, in a zone if one is given, of clients for which none is named.

    Creates it on the first storage if needed; raises WrongState without a storage.
    """
    pools = Pool.objects.filter(account=account).select_related("storage__zone")
    fitting = pools.filter(storage__zone=zone) if zone else pools.filter(name=DEFAULT)
    if found := fitting.filter(name=DEFAULT).first() or fitting.first():
        return found
    name = f"{DEFAULT}-{zone.name}" if zone and pools.filter(name=DEFAULT).exists() else DEFAULT
    # If another request has just created it, on whichever storage, it stays as it is.
    values = {"storage": first_storage(zone)}
    return Pool.objects.get_or_create(account=account, name=name, defaults=values)[0]


def first_storage(zone: Zone | None = None) -> Storage:
    """Return the first storage of a zone, or of the first zone that has one."""
    storages = Storage.objects.select_related("zone").order_by("zone__name", "name")
    found = (storages.filter(zone=zone) if zone else storages).first()
    if found is None:
        where = f" in zone '{zone.name}'" if zone else ""
        raise WrongState(
            f"The operator has not set up a storage{where} yet, so no pool can be created."
        )
    return found


def usage(pool: Pool) -> dict[str, int]:
    """Return ``used_bytes`` and the number of good backups, ``jobs``, of a pool."""
    backups = Job.objects.backups().good().filter(pool=pool)
    return backups.aggregate(used_bytes=Sum("stored_bytes", default=0), jobs=Count("pk"))


def _require_valid(values: dict[str, Any]) -> None:
    try:
        Pool(**values).clean_fields(exclude={"account", "name"} | _fields() - values.keys())
    except ValidationError as e:
        raise Invalid(e.message_dict) from e


def _fields() -> set[str]:
    return {field.name for field in Pool._meta.fields}


def require_zone(pool: Pool, storage: Storage) -> None:
    """Raise WrongState if clients of a pool are in another zone than a storage."""
    if client := pool.clients.filter(deleted=None).exclude(zone=storage.zone).first():
        raise WrongState(
            f"Pool '{pool}' has client '{client}', which is not in zone '{storage.zone.name}' of "
            f"storage '{storage}'."
        )
