"""The files that this service adds to the Director's configuration, as texts by their names.

All raise EngineError for what cannot be expressed in Bacula.
"""

import contextlib
from collections.abc import Iterator, Sequence

from django.db.models import QuerySet

from ....exceptions import EngineError
from ....models import Client, Fileset, Pool, Storage
from .. import names
from ..names import Bacula
from . import database_plugins, fileset_resource, resources, schedule_resource, storage_daemons
from .passwords import client_password

Files = dict[str, str]
_known_catalogs: dict[tuple[str, int], list[str]] = {}  # by the Director's address and port


def of_all(engine: Bacula) -> Files:
    """Return the files of all clients of an engine, except those that Bacula cannot express."""
    return of_clients(engine, Client.objects.present().filter(zone__engine=engine.alias))


def of_clients(engine: Bacula, clients: QuerySet[Client]) -> Files:
    """Return the files of some clients, except those that Bacula cannot express."""
    files: Files = {}
    for client in clients.select_related("fileset", "pool__storage__zone", "zone"):
        with contextlib.suppress(EngineError):
            files |= of_client(engine, client)
    return files


def of_client(engine: Bacula, client: Client) -> Files:
    """Return the files of a client: itself with its jobs, and what those use."""
    pool, storage = client.pool, client.pool.storage
    place = of_pool(engine, pool, storage) if _is_here(engine, client) else _placeholder(engine)
    jobs = "\n".join(_jobs(engine, client))
    return {
        **_common(engine),
        **place,
        **of_fileset(engine, client.fileset),
        names.for_client(engine, "client", client): f"{_client(engine, client)}{jobs}",
    }


def of_command(engine: Bacula, client: Client, words: Sequence[str]) -> Files:
    """Return the files for a command line on a client."""
    name, none = names.command_job(engine, words), names.placeholder(engine)
    uses = {"client": none, "pool": none, "storage": none} | _without_files(engine)
    own = {} if client.is_adopted else of_client(engine, client)
    job = {name: resources.command_job(name, words, **uses)}
    return own | _common(engine) | _placeholder(engine) | job


def _is_here(engine: Bacula, client: Client) -> bool:
    """Return whether a client's own pool is in this engine; backups may go to another one."""
    return client.pool.storage.zone.engine == engine.alias


def _common(engine: Bacula) -> Files:
    messages = resources.messages(names.messages(engine))
    nothing = fileset_resource.nothing(names.nothing(engine))
    return {f"{engine.prefix}common": f"{messages}\n{nothing}"}


def _placeholder(engine: Bacula) -> Files:
    name = names.placeholder(engine)
    return {name: resources.placeholder(name, _catalogs(engine)[0])}


def of_pool(engine: Bacula, pool: Pool, storage: Storage) -> Files:
    """Return a pool and its storage, unless the operator has configured them."""
    files = {}
    name = names.of(engine, storage)
    values = {} if storage.is_adopted else storage_daemons.read(engine.storages).get(name, {})
    if values:
        files[names.storage_file(engine, storage)] = resources.storage(name, values)
    if not pool.is_adopted:
        name = names.of(engine, pool)
        files[name] = resources.pool(name)
    return files


def of_fileset(engine: Bacula, fileset: Fileset) -> Files:
    """Return a fileset, unless the operator has configured it."""
    if fileset.is_adopted:
        return {}
    name = names.of(engine, fileset)
    return {
        name: fileset_resource.fileset(name, fileset, database_plugins.plugins(engine, fileset))
    }


def _client(engine: Bacula, client: Client) -> str:
    if client.is_adopted:
        return ""
    name = names.of(engine, client)
    password = client_password(engine, name)
    return resources.client(name, client, password=password, catalog=_only_catalog(engine)) + "\n"


def _jobs(engine: Bacula, client: Client) -> Iterator[str]:
    is_here, placeholder = _is_here(engine, client), names.placeholder(engine)
    uses = _without_files(engine) | {
        "client": names.of(engine, client),
        "pool": names.of(engine, client.pool) if is_here else placeholder,
        "storage": names.of(engine, client.pool.storage) if is_here else placeholder,
    }
    files = names.of(engine, client.fileset)
    own = {"fileset": files}
    if lines := schedule_resource.lines_of(engine, client):
        own["schedule"] = names.for_client(engine, "schedule", client)
        yield resources.schedule(own["schedule"], lines)
    yield resources.backup_job(names.for_client(engine, "backup", client), client, **uses | own)
    yield resources.restore_job(names.for_client(engine, "restore", client), **uses)
    yield resources.verify_job(names.for_client(engine, "verify", client), **uses)


def _without_files(engine: Bacula) -> dict[str, str]:
    return {"fileset": names.nothing(engine), "messages": names.messages(engine)}


def _only_catalog(engine: Bacula) -> str:
    """Return the name of the Director's catalog; raises EngineError where it has several."""
    found = _catalogs(engine)
    if len(found) > 1:
        raise EngineError(
            f"The Director has several catalogs ({', '.join(found)}): this service can add clients "
            "only to a Director with one."
        )
    return found[0]


def _catalogs(engine: Bacula) -> list[str]:
    place = engine.address, engine.port
    if place not in _known_catalogs:
        with engine.director() as director:
            _known_catalogs[place] = [line.strip() for line in director.ask(".catalogs")]
    return _known_catalogs[place]
