"""What can be done with pools: to save one, to say how full it is."""

from django.core.exceptions import ValidationError
from django.db.models import Count, Sum

from ..exceptions import Invalid, WrongState
from ..models import Pool, Storage
from . import names
from .adopted import require_as_kept

DEFAULT = "default"


def save(account, name: str, **values) -> Pool:
    """Create a pool, or change what is given of the account's pool with this name.

    values: ``storage`` (a Storage; the first one when none is given), ``retention_days``,
    ``keep_full``, ``quota_bytes`` (None is none). Deletes nothing: ``prune`` does.
    Raises Invalid, and WrongState when there is no storage yet, the pool's clients are in another
    zone, or the engine keeps what is to be changed.
    """
    name = names.cleaned(name, "pool")
    _require_valid(values)
    known = Pool.objects.filter(account=account, name=name).first()
    require_as_kept(known, values)
    if known and "storage" in values:
        require_zone(known, values["storage"])
    if not known:
        values.setdefault("storage", first_storage())
    return Pool.objects.update_or_create(account=account, name=name, defaults=values)[0]


def default(account, zone=None) -> Pool:
    """Return the pool for clients that were given none, in a zone if one is given.

    Makes it on the first storage when there is none; raises WrongState without a storage.
    """
    pools = Pool.objects.filter(account=account).select_related("storage__zone")
    fitting = pools.filter(storage__zone=zone) if zone else pools.filter(name=DEFAULT)
    if found := fitting.filter(name=DEFAULT).first() or fitting.first():
        return found
    is_taken = zone and pools.filter(name=DEFAULT).exists()
    name = f"{DEFAULT}-{zone.name}" if is_taken else DEFAULT
    # What another request makes meanwhile stays where it is.
    values = {"storage": first_storage(zone)}
    return Pool.objects.get_or_create(account=account, name=name, defaults=values)[0]


def first_storage(zone=None) -> Storage:
    """Return the first storage of a zone, or of the first zone that has one."""
    storages = Storage.objects.select_related("zone").order_by("zone__name", "name")
    found = (storages.filter(zone=zone) if zone else storages).first()
    if found is None:
        where = f" in zone '{zone.name}'" if zone else ""
        raise WrongState(f"The operator has set up no storage{where} yet, so no pool can be made.")
    return found


def usage(pool) -> dict[str, int]:
    """Return ``used_bytes`` and how many readable backups, ``jobs``, a pool holds."""
    backups = pool.jobs.backups().good()
    return backups.aggregate(used_bytes=Sum("stored_bytes", default=0), jobs=Count("pk"))


def _require_valid(values):
    try:
        Pool(**values).clean_fields(exclude={"account", "name"} | _fields() - values.keys())
    except ValidationError as e:
        raise Invalid(e.message_dict) from e


def _fields():
    return {field.name for field in Pool._meta.fields}


def require_zone(pool, storage) -> None:
    """Raise WrongState if clients of a pool are in another zone than a storage."""
    if client := pool.clients.filter(deleted=None).exclude(zone=storage.zone).first():
        raise WrongState(
            f"Pool '{pool}' has client '{client}', which is not in zone '{storage.zone.name}' of "
            f"storage '{storage}'."
        )
