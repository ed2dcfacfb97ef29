"""Letting the Director know what a job needs, before the job is started.

Called by jobs in any worker, again for each job: where nothing has changed, nothing is written and
the Director is not asked. All raise EngineError and EngineUnreachable, and WrongState where
something has to be added to a configuration that the operator keeps closed.

While one of its jobs goes on, which may be for hours, a Director reads its configuration anew only
some thirty times. So when one client is new, all others that are come with it.
"""

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ....exceptions import EngineError, EngineUnreachable
from ....models import Client
from .. import names
from . import (
    config_dir,
    database_plugins,
    fileset_resource,
    resources,
    schedule_resource,
    storage_daemons,
)
from .passwords import client_password

Files = dict[str, str]  # texts by the names of their files
# What is referred to goes first.
ORDER = ("common", "nobody", "storage", "pool", "fileset", "client", "command")
_known_catalogs: dict[tuple[str, int], list[str]] = {}  # by the Director's address and port


@dataclass(frozen=True)
class Names:
    """What the things of a backup are called in Bacula."""

    job: str
    client: str
    fileset: str
    pool: str
    storage: str


def prepare_client(engine, client) -> str:
    """Let the Director know a client; return its name there."""
    if not client.is_adopted:
        _prepare(engine, _client_files(engine, client))
    return names.of(engine, client)


def prepare_backup(engine, client, fileset, pool, storage) -> Names:
    """Let the Director know the backup job of a client, and what this backup uses.

    The job itself names the client's own fileset and pool, and is to be told of others when it is
    started.
    """
    other = _place(engine, pool, storage) | _fileset(engine, fileset)
    _prepare(engine, _client_files(engine, client) | other)
    return Names(
        job=names.backup_job(engine, client),
        client=names.of(engine, client),
        fileset=names.of(engine, fileset),
        pool=names.of(engine, pool),
        storage=names.of(engine, storage),
    )


def prepare_restore(engine, client) -> str:
    """Let the Director know the job that restores to a client; return its name."""
    _prepare(engine, _client_files(engine, client))
    return names.restore_job(engine, client)


def prepare_verify(engine, client) -> str:
    """Let the Director know the job that verifies backups of a client; return its name."""
    _prepare(engine, _client_files(engine, client))
    return names.verify_job(engine, client)


def prepare_command(engine, client, words: Sequence[str]) -> str:
    """Let the Director know a client, and the job that runs a command line; return its name.

    ``words`` are what stands in the configuration: the operator's own, and never a request's.
    """
    name, nobody = names.command_job(engine, words), names.nobody(engine)
    uses = {"client": nobody, "pool": nobody, "storage": nobody} | _without_files(engine)
    own = {} if client.is_adopted else _client_files(engine, client)
    job = {name: resources.command_job(name, words, **uses)}
    _prepare(engine, own | _common(engine) | _nobody(engine) | job)
    return name


def prepare_all(engine) -> None:
    """Let the Director know all clients as they are, but those that cannot be written.

    A client that was deleted, or is another engine's now, stays, as its backups do.
    """
    start = names.client_file(engine, Client(pk=""))
    pks = [name.removeprefix(start) for name in config_dir.read(engine, start)]
    others = Client.objects.filter(pk__in=filter(str.isdecimal, pks))
    others = others.exclude(zone__engine=engine.alias, deleted=None)
    _write(engine, _all_files(engine) | _files_of(engine, others))


def forget_client(engine, client) -> None:
    """Let the Director forget a client and its jobs; of an adopted one only what we added goes."""
    if engine.config_dir is None:
        return  # it was never told
    config_dir.remove(engine, [names.client_file(engine, client)])
    if not client.is_adopted:
        with engine.director() as director:
            director.delete_client(names.of(engine, client))


def _prepare(engine, own: Files) -> None:
    if config_dir.is_known(engine, own):
        return
    try:
        _write(engine, _all_files(engine) | own)
    except EngineUnreachable:
        raise
    except EngineError:
        # Another client may be what is wrong with it.
        _write(engine, own)


def _write(engine, files: Files) -> None:
    def place(name):
        return ORDER.index(name.removeprefix(engine.prefix).partition("-")[0])

    changed = config_dir.write(engine, {name: files[name] for name in sorted(files, key=place)})
    pools = [name for name in changed if files[name].startswith("Pool ")]
    if pools:
        with engine.director() as director:
            for name in pools:
                director.update_pool(name)


# --- Files ---------------------------------------------------------------------------------------


def _all_files(engine) -> Files:
    """Return what all clients of an engine need, but those that cannot be written."""
    return _files_of(
        engine, _with_things(Client.objects.present().filter(zone__engine=engine.alias))
    )


def _with_things(clients):
    return clients.select_related("fileset", "pool__storage", "zone")


def _files_of(engine, clients) -> Files:
    files: Files = {}
    for client in clients.select_related("fileset", "pool__storage__zone", "zone"):
        with contextlib.suppress(EngineError):
            files |= _client_files(engine, client)
    return files


def _client_files(engine, client) -> Files:
    """Return what a client needs: itself with its jobs, and what those use."""
    pool, storage = client.pool, client.pool.storage
    place = _place(engine, pool, storage) if _is_here(engine, client) else _nobody(engine)
    jobs = "\n".join(_jobs(engine, client))
    return {
        **_common(engine),
        **place,
        **_fileset(engine, client.fileset),
        names.client_file(engine, client): f"{_client(engine, client)}{jobs}",
    }


def _is_here(engine, client) -> bool:
    """Say whether a client's own pool is in this engine; backups may go to another one."""
    return client.pool.storage.zone.engine == engine.alias


def _common(engine) -> Files:
    messages = resources.messages(names.messages(engine))
    nothing = fileset_resource.nothing(names.nothing(engine))
    return {f"{engine.prefix}common": f"{messages}\n{nothing}"}


def _nobody(engine) -> Files:
    name = names.nobody(engine)
    return {name: resources.nobody(name, _catalogs(engine)[0])}


def _place(engine, pool, storage) -> Files:
    files = {}
    name = names.of(engine, storage)
    values = {} if storage.is_adopted else storage_daemons.read(engine.storages).get(name, {})
    if values:
        files[names.storage_file(engine, storage)] = resources.storage(name, values)
    if not pool.is_adopted:
        name = names.of(engine, pool)
        files[name] = resources.pool(name)
    return files


def _fileset(engine, fileset) -> Files:
    if fileset.is_adopted:
        return {}
    name = names.of(engine, fileset)
    return {
        name: fileset_resource.fileset(name, fileset, database_plugins.plugins(engine, fileset))
    }


def _client(engine, client) -> str:
    if client.is_adopted:
        return ""
    name = names.of(engine, client)
    password = client_password(engine, name)
    return resources.client(name, client, password=password, catalog=_only_catalog(engine)) + "\n"


def _jobs(engine, client) -> Iterator[str]:
    is_here, nobody = _is_here(engine, client), names.nobody(engine)
    uses = _without_files(engine) | {
        "client": names.of(engine, client),
        "pool": names.of(engine, client.pool) if is_here else nobody,
        "storage": names.of(engine, client.pool.storage) if is_here else nobody,
    }
    files = names.of(engine, client.fileset)
    own = {"fileset": files}
    if lines := schedule_resource.lines_of(engine, client):
        own["schedule"] = names.schedule(engine, client)
        yield resources.schedule(own["schedule"], lines)
    yield resources.backup_job(names.backup_job(engine, client), **uses | own)
    yield resources.restore_job(names.restore_job(engine, client), **uses)
    yield resources.verify_job(names.verify_job(engine, client), **uses)


def _without_files(engine) -> dict[str, str]:
    return {"fileset": names.nothing(engine), "messages": names.messages(engine)}


def _only_catalog(engine) -> str:
    """Return the name of the Director's catalog; raises EngineError where it has several."""
    found = _catalogs(engine)
    if len(found) > 1:
        raise EngineError(
            f"The Director has the catalogs {', '.join(found)}: a client that this service adds to "
            "it can only be in its only one."
        )
    return found[0]


def _catalogs(engine) -> list[str]:
    place = engine.address, engine.port
    if place not in _known_catalogs:
        with engine.director() as director:
            _known_catalogs[place] = [line.strip() for line in director.ask(".catalogs")]
    return _known_catalogs[place]
