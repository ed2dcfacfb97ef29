"""What can be done with clients: to make or change one, to delete it, to say what it needs."""

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from ..conf import conf
from ..engines import get_engine
from ..engines.base import ClientConfig
from ..exceptions import Invalid, WrongState
from ..lib import addresses
from ..models import Client, Job
from . import filesets, names, pools
from .adopted import require_as_kept

ADDRESSES = ("ip", "internal_ip")


def generate(account, name: str, *, system: str, password: str = "", **values):
    """Create or change a client as ``save`` does; return it, and whether our key got installed.

    The password of its root is used for that once and kept nowhere, and only where
    ``BACKUP_INSTALL_KEYS`` is on. Raises EngineError for a client that does not let us in, which
    is saved nevertheless.
    """
    client = save(account, name, system=system, **values)
    return client, bool(password) and _install_key(client, password)


def save(account, name: str, *, system: str, **values) -> Client:
    """Create a client, or change what is given of the account's client with this name.

    values: ``ip`` (a new client needs it), ``internal_ip``, ``fileset``, ``pool``, ``zone``,
    ``schedule``, ``connection``. A new client gets the account's defaults where none are given.
    Raises Invalid, and WrongState for an address of another client, for a zone that does not fit,
    and where the engine keeps what is to be changed.
    """
    name = names.cleaned(name, "client")
    known = _clients_of(account).filter(name=name).first()
    values = cleaned(account, name, known, system=system, **values)
    if not (known or "fileset" in values):
        values["fileset"] = filesets.default(account, values["system"])
    return _saved(account, name, values)


def cleaned(account, name: str, known: Client | None, *, system: str, **values) -> dict:
    """Return the values of a new client, or of changes of a known one, as they are stored.

    Raises what ``save`` raises.
    """
    name = names.cleaned(name, "client")
    values = _cleaned(values) | {"system": system_named(system)}
    require_as_kept(known, values | {"name": name})
    _require_address(account, name, known, values)
    values |= _placed(account, known, values)
    _require_engine(values["zone"], values["system"])
    return values | {"connection": _connection(values["zone"], known, values)}


def delete(client) -> None:
    """Let a client vanish; its backups stay until ``purge_clients``. Raises WrongState if at work.

    Changes the record that it is given as well.
    """
    with transaction.atomic():
        if job := Job.objects.open().filter(client=client).first():
            raise WrongState(f"Client '{client}' has a job: {job.pk} is {job.status}. Cancel it.")
        client.deleted = timezone.now()
        client.save(update_fields=["deleted"])


def restore(client) -> None:
    """Let a deleted client, of which nothing was purged yet, be there again.

    Raises WrongState where another one has its name or address by now.
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


def config(client) -> ClientConfig:
    """Return what must be on a client, ready to paste."""
    return get_engine(client.zone.engine).client_config(client)


def has_backup(client) -> bool:
    return client.jobs.backups().good().exists()


def system_named(text: str) -> str:
    """Return unix or windows for its name in any case; raises Invalid."""
    if text.lower() not in Client.System.values:
        allowed = " and ".join(Client.System.values)
        raise Invalid({"system": [f"There is no system '{text}': there are {allowed}."]})
    return text.lower()


def require_system(client, text: str) -> None:
    """Raise WrongState unless this is the client's system, Invalid if it is none at all."""
    if system_named(text) != client.system:
        raise WrongState(f"Client '{client}' is a {client.system} machine, not a {text} one.")


def _clients_of(account):
    return Client.objects.present().filter(account=account).select_related("pool__storage__zone")


def _cleaned(values):
    """Return the values as they are stored; raises Invalid."""
    clean, wrong = dict(values), {}
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


def _require_address(account, name, known, values):
    if not (values.get("ip") or (known and "ip" not in values)):
        raise Invalid({"ip": [f"Client '{name}' needs an IP address."]})
    if addresses.normalized(name) not in {None, values.get("ip") or known.ip}:
        raise Invalid({"name": [f"'{name}' is an address, but not the client's own."]})
    _require_free(_clients_of(account).exclude(pk=known and known.pk), values.get("ip"))


def _require_free(others, ip):
    if other := others.filter(ip=ip).first():
        raise WrongState(f"Client '{other}' has the address '{ip}' already.")


def _placed(account, known, values):
    """Return the pool and the zone, which go together, from what is given and what was there."""
    zone = values.get("zone")
    pool = values.get("pool") or (known and known.pool)
    pool = pool or pools.default(account, zone)
    zone = zone or pool.storage.zone
    if pool.storage.zone != zone:
        raise WrongState(
            f"Pool '{pool}' is in zone '{pool.storage.zone.name}', not in '{zone.name}'."
        )
    return {"pool": pool, "zone": zone}


def _require_engine(zone, system):
    if system not in {each.system for each in get_engine(zone.engine).systems()}:
        raise WrongState(f"The engine of zone '{zone.name}' cannot back up {system} machines.")


def _connection(zone, known, values):
    """Return how a client is reached: as was given, as it was, or as its engine does first."""
    possible = get_engine(zone.engine).connections
    if wanted := values.get("connection"):
        _require_connection(zone, wanted, possible)
        return wanted
    return known.connection if known and known.connection in possible else possible[0]


def _require_connection(zone, wanted, possible):
    if wanted not in possible:
        labels = dict(Client.Connection.choices)
        there = " and ".join(f"'{labels[each]}'" for each in possible)
        sentence = f"Clients of zone '{zone.name}' cannot be '{labels[wanted]}': there is {there}."
        raise Invalid({"connection": [sentence]})


def _saved(account, name, values):
    try:
        with transaction.atomic():
            return Client.objects.update_or_create(
                account=account, name=name, deleted=None, defaults=values
            )[0]
    except IntegrityError as e:
        _require_free(_clients_of(account).exclude(name=name), values.get("ip"))
        raise WrongState(f"Client '{name}' has just been changed by another request.") from e


def _install_key(client, password):
    engine = get_engine(client.zone.engine)
    is_remote = client.connection == Client.Connection.SSH
    if not (conf.INSTALL_KEYS and engine.supports_key_installation and is_remote):
        return False
    engine.install_key(client, password)
    return True
