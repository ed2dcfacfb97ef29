"""Creating, changing, deleting and restoring clients, and what must be installed on them."""

from collections.abc import Sequence
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from ..conf import conf
from ..engines import get_engine
from ..engines.values import ClientConfig
from ..exceptions import Invalid, WrongState
from ..lib import addresses
from ..models import Client, Job, Zone
from . import filesets, pools
from .rules import limits, names
from .rules.locked_fields import require_unchanged

ADDRESSES = ("ip", "internal_ip")


def generate(
    account: Any, name: str, *, system: str, password: str = "", **values: Any
) -> tuple[Client, bool]:
    """Create or change a client as ``save`` does; return it, and whether our key was installed.

    password is root's on the client. It is used once, only if ``BACKUP_INSTALL_KEYS`` is on, and
    stored nowhere. Raises EngineError if the login fails; the client is saved nevertheless.
    """
    client = save(account, name, system=system, **values)
    return client, bool(password) and _install_key(client, password)


def save(account: Any, name: str, *, system: str, **values: Any) -> Client:
    """Create a client, or change the given values of the account's client with this name.

    values: ``ip`` (required for a new client), ``internal_ip``, ``fileset``, ``pool``, ``zone``,
    ``schedule``, ``connection``, ``priority``, ``bandwidth_limit``. A new client gets the
    account's defaults for omitted ones.
    Raises Invalid, and WrongState for an address of another client, for a zone that does not fit
    the pool, the system or the limits, and for a value that only the engine can change.
    """
    name = names.cleaned(name, "client")
    known = _clients_of(account).filter(name=name).first()
    values = cleaned(account, name, known, system=system, **values)
    if not (known or "fileset" in values):
        values["fileset"] = filesets.default(account, values["system"])
    return _saved(account, name, values)


def cleaned(
    account: Any, name: str, known: Client | None, *, system: str, **values: Any
) -> dict[str, Any]:
    """Return the values of a new client, or the changes of a known one, as they are stored.

    Raises what ``save`` raises.
    """
    name = names.cleaned(name, "client")
    values = _cleaned(values) | limits.cleaned(values) | {"system": system_named(system)}
    require_unchanged(known, values | {"name": name})
    _require_address(account, name, known, values)
    values |= _placed(account, known, values)
    _require_engine(values["zone"], values["system"])
    limits.require_possible(values["zone"], known, values)
    return values | {"connection": _connection(values["zone"], known, values)}


def delete(client: Client) -> None:
    """Mark a client as deleted; its backups stay until ``purge_clients``.

    Raises WrongState if it has an open job.
    """
    with transaction.atomic():
        if job := Job.objects.open().filter(client=client).first():
            raise WrongState(f"Client '{client}' has job {job.pk}, {job.status}. Cancel it first.")
        client.deleted = timezone.now()
        client.save(update_fields=["deleted"])


def restore(client: Client) -> None:
    """Bring a deleted client back, which is possible until it is purged.

    Raises WrongState if another client has its name or address by now.
    """
    if client.deleted is None:
        raise WrongState(f"Client '{client}' is not deleted.")
    taken = WrongState(f"Another client is named '{client}' or has the address '{client.ip}'.")
    same = Q(name=client.name) | Q(ip=client.ip)
    if _clients_of(client.account_id).filter(same).exists():
        raise taken
    try:
        with transaction.atomic():
            Client.objects.filter(pk=client.pk).update(deleted=None)
    except IntegrityError as e:
        raise taken from e
    client.deleted = None


def config(client: Client) -> ClientConfig:
    """Return what must be installed on a client, ready to paste."""
    return get_engine(client.zone.engine).client_config(client)


def has_backup(client: Client) -> bool:
    """Return whether a client has a good backup."""
    return Job.objects.backups().good().filter(client=client).exists()


def system_named(text: str) -> str:
    """Return unix or windows for its name, ignoring case; raises Invalid."""
    if text.lower() not in Client.System.values:
        allowed = " or ".join(Client.System.values)
        raise Invalid({"system": [f"Unknown system '{text}': it must be {allowed}."]})
    return text.lower()


def require_system(client: Client, text: str) -> None:
    """Raise WrongState unless this is the client's system, Invalid if it is unknown."""
    if system_named(text) != client.system:
        raise WrongState(f"Client '{client}' is a {client.system} machine, not a {text} one.")


def _clients_of(account: Any) -> QuerySet[Client]:
    return Client.objects.present().filter(account=account).select_related("pool__storage__zone")


def _cleaned(values: dict[str, Any]) -> dict[str, Any]:
    clean = dict(values)
    wrong: dict[str, list[str]] = {}
    for key in [key for key in ADDRESSES if clean.get(key)]:
        clean[key] = addresses.normalized(clean[key])
        if clean[key] is None:
            wrong[key] = [f"'{values[key]}' is not an IP address."]
    if "internal_ip" in clean:
        clean["internal_ip"] = clean["internal_ip"] or None
    try:
        if "schedule" in clean:
            clean["schedule"] = filesets.schedule(clean["schedule"])
    except ValueError as e:
        wrong["schedule"] = [str(e)]
    if wrong:
        raise Invalid(wrong)
    return clean


def _require_address(account: Any, name: str, known: Client | None, values: dict[str, Any]) -> None:
    if not (values.get("ip") or (known and "ip" not in values)):
        raise Invalid({"ip": [f"Client '{name}' needs an IP address."]})
    # The API finds clients by name or address, so a name must not be the address of another one.
    own = values.get("ip") or (known and known.ip)
    if addresses.normalized(name) not in {None, own}:
        raise Invalid({"name": [f"'{name}' is an address, but not the client's own."]})
    clients = _clients_of(account)
    _require_free(clients.exclude(pk=known.pk) if known else clients, values.get("ip"))


def _require_free(others: QuerySet[Client], ip: str | None) -> None:
    if other := others.filter(ip=ip).first():
        raise WrongState(f"Client '{other}' already has the address '{ip}'.")


def _placed(account: Any, known: Client | None, values: dict[str, Any]) -> dict[str, Any]:
    """Return a pool and its zone: those given, else those known, else the account's defaults."""
    zone = values.get("zone")
    pool = values.get("pool") or (known and known.pool)
    pool = pool or pools.default(account, zone)
    zone = zone or pool.storage.zone
    if pool.storage.zone != zone:
        raise WrongState(
            f"Pool '{pool}' is in zone '{pool.storage.zone.name}', not in '{zone.name}'."
        )
    return {"pool": pool, "zone": zone}


def _require_engine(zone: Zone, system: str) -> None:
    if system not in {each.system for each in get_engine(zone.engine).systems()}:
        raise WrongState(f"The engine of zone '{zone.name}' cannot back up {system} machines.")


def _connection(zone: Zone, known: Client | None, values: dict[str, Any]) -> str:
    """Return the connection: the one given, else the known one, else the engine's first."""
    possible = get_engine(zone.engine).connections
    if wanted := values.get("connection"):
        _require_connection(zone, wanted, possible)
        return str(wanted)
    return known.connection if known and known.connection in possible else possible[0]


def _require_connection(zone: Zone, wanted: str, possible: Sequence[str]) -> None:
    if wanted not in possible:
        labels = dict(Client.Connection.choices)
        usable = " or ".join(f"'{labels[each]}'" for each in possible)
        sentence = f"In zone '{zone.name}' it must be {usable}, not '{labels[wanted]}'."
        raise Invalid({"connection": [sentence]})


def _saved(account: Any, name: str, values: dict[str, Any]) -> Client:
    try:
        with transaction.atomic():
            return Client.objects.update_or_create(
                account=account, name=name, deleted=None, defaults=values
            )[0]
    except IntegrityError as e:
        raise WrongState(f"Client '{name}' has just been changed by another request.") from e


def _install_key(client: Client, password: str) -> bool:
    engine = get_engine(client.zone.engine)
    is_remote = client.connection == Client.Connection.SSH
    if not (conf.INSTALL_KEYS and engine.supports_key_installation and is_remote):
        return False
    engine.install_key(client, password)
    return True
