"""Zones, storages and pools, and the systems that the engines support."""

from ...accounts import access
from ...conf import conf
from ...engines import get_engine
from ...exceptions import NotFound
from ...models import Zone
from ...services import pools, storages
from ..operation import operation
from ..serializers.storages import (
    GetPool,
    PoolAnswer,
    SavePool,
    Storages,
    SupportedSystems,
    Zones,
)


@operation(18, "GET", topic="storages", answer=Zones)
def zones(request):
    """List zones.

    Each with the engine that backs up its clients.
    """
    return {"zones": Zone.objects.values("name", "title", "engine")}


@operation(19, topic="storages", answer=Storages)
def list_storages(request):
    """List storages.

    With their space in bytes and the account's pools on them; with ``subuser`` only those that its
    clients use.
    """
    return {"storages": _described(request.caller, access.storages(request.caller))}


@operation(22, topic="storages", answer=SupportedSystems, refusals=(404, 502, 503))
def supported_systems(request):
    """List supported operating systems.

    By the engine that can back them up.
    """
    found = [(alias, system) for alias in conf.engines for system in get_engine(alias).systems()]
    return {"systems": [{**vars(system), "engine": alias} for alias, system in found]}


@operation(27, topic="storages", answer=PoolAnswer, options=GetPool)
def get_pool(request, pool_name):
    """Get a pool.

    With the space that it uses. ``getstorage`` adds its storage as ``storage_data``.
    """
    pool = access.pool(request.caller, pool_name)
    storage = None
    if name := request.options.get("getstorage"):
        if name != pool.storage.name:
            raise NotFound(f"Pool '{pool}' is not on a storage named '{name}'.")
        [storage] = _described(request.caller, [pool.storage])
    return {"pool": pool, **pools.usage(pool), "storage_data": storage}


@operation(
    28,
    topic="storages",
    answer=PoolAnswer,
    options=SavePool,
    writes=True,
    refusals=(404, 409),
)
def save_pool(request):
    """Create or update a pool.

    The pool is found by its name; fields that are not given keep their value. Shorter retention
    deletes nothing by itself: the operator's ``prune`` does.
    """
    options = request.options
    if "storage" in options:
        options["storage"] = access.storage(request.caller, options["storage"])
    pool = pools.save(request.caller.account, **options)
    return {"pool": pool, **pools.usage(pool), "storage_data": None}


def _described(caller, records):
    used, names = storages.used_bytes(records), storages.pool_names(caller.account, records)
    return [
        {
            "storage": each,
            **storages.space(each, used.get(each.pk, 0)),
            "pools": names.get(each.pk, []),
        }
        for each in records
    ]
