"""Creating and adopting storages, and their use: bytes, pools and free space."""

from collections.abc import Iterable
from itertools import count
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import Q, Sum
from django.utils.text import slugify

from ..engines import get_engine
from ..engines.values import StorageIdentity
from ..exceptions import EngineError, Invalid, WrongState
from ..models import Job, Pool, Storage, Zone
from .rules.validity import require_valid


def create(name: str, zone: Zone, *, path: str = "", engine_name: str = "") -> Storage:
    """Return a new storage, which ``label`` is then to label; raises Invalid and InvalidEngine."""
    storage = Storage(name=name, zone=zone, path=path, engine_name=engine_name)
    storage.path, storage.kind = cleaned_path(storage, path), kind_in(zone, path, engine_name)
    require_valid(storage)
    storage.save()
    return storage


def label(storage: Storage) -> str:
    """Label a storage whose folder is new; return why it could not be done, "" if it was."""
    try:
        get_engine(storage.zone.engine).label_storage(storage)
    except EngineError as e:
        return str(e)
    return ""


def cleaned_path(storage: Storage, path: str) -> str:
    """Return the path of a storage as it is stored; raises Invalid."""
    if not path:
        return path
    if not path.startswith("/") or ".." in Path(path).parts or not path.isprintable():
        raise Invalid({"path": [f"'{path}' is not an absolute path without '..'."]})
    # Two storages in one folder would treat each other's volumes as orphans.
    path = str(Path(path))
    if other := Storage.objects.exclude(pk=storage.pk).filter(path=path).first():
        raise Invalid({"path": [f"Storage '{other}' already uses the folder '{path}'."]})
    return path


def kind_in(zone: Zone, path: str, engine_name: str) -> str:
    """Return the kind of a zone's storages; raises Invalid for a path or name that do not fit it.

    Raises InvalidEngine if the settings no longer declare the zone's engine.
    """
    kind = get_engine(zone.engine).storage_kind
    wrong: dict[str, list[str]] = {}
    if kind == Storage.Kind.FOLDER and not path:
        wrong["path"] = ["A storage in a folder needs the folder's absolute path."]
    if kind != Storage.Kind.FOLDER and path:
        wrong["path"] = ["The engine of this zone writes to devices, which have no path."]
    if kind == Storage.Kind.FOLDER and engine_name:
        wrong["engine_name"] = ["Only devices have a name in the engine."]
    if wrong:
        raise Invalid(wrong)
    return kind


def adopt(folder: Path) -> Storage:
    """Return a new storage for a folder that was one before, as of a service that was lost.

    It keeps its label. Its zone is the one that its backups name, made anew if there is none.
    Raises Invalid for a path that cannot be stored, EngineError if the folder is no storage, and
    WrongState if it is one that is known.
    """
    path = str(folder)
    longest = Storage._meta.get_field("path").max_length
    if not folder.is_absolute() or len(path) > (longest or 0) or not path.isprintable():
        raise Invalid({"path": [f"'{path}' is not an absolute path that a storage can have."]})
    engine = get_engine()
    identity = engine.identify(folder)
    known = Storage.objects.filter(Q(path=path) | Q(label=identity.label)).first()
    if known:
        raise WrongState(f"The folder '{path}' is that of storage '{known}' already.")
    with transaction.atomic():
        zone = _zone(identity, engine.alias)
        return Storage.objects.create(
            name=_free_name(folder), zone=zone, path=path, label=identity.label
        )


def _zone(identity: StorageIdentity, engine: str) -> Zone:
    longest = Zone._meta.get_field("name").max_length
    name = slugify(identity.zone_name)[:longest] or "restored"
    zone, _ = Zone.objects.get_or_create(
        name=name, defaults={"title": identity.zone_title[:200], "engine": engine}
    )
    if zone.engine != engine:
        raise WrongState(f"The zone '{name}' has the engine '{zone.engine}', not '{engine}'.")
    return zone


def _free_name(folder: Path) -> str:
    base = slugify(folder.name)[:40] or "restored"
    names = (base if number == 1 else f"{base}-{number}" for number in count(1))
    return next(name for name in names if not Storage.objects.filter(name=name).exists())


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
