"""Letting the Director know what a job needs, before the job is started.

Called by jobs in any worker, again for each job: where nothing has changed, nothing is written and
the Director is not asked. All raise EngineError and EngineUnreachable, and WrongState where
something has to be added to a configuration that the operator keeps closed.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass

from ...exceptions import EngineError
from . import configuring, databases, filesets, names, resources, storages
from .passwords import client_password

_catalogs: dict[tuple[str, int], str] = {}  # by the Director's address and port


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
    _write(engine, _client(engine, client))
    return names.client(engine, client)


def prepare_backup(engine, client, fileset, pool, storage) -> Names:
    """Let the Director know the backup job of a client, and what this backup uses.

    The job itself names the client's own fileset and pool, and is to be told of others when it is
    started.
    """
    found = Names(
        job=names.backup_job(engine, client),
        client=names.client(engine, client),
        fileset=names.fileset(engine, fileset),
        pool=names.pool(engine, pool),
        storage=names.storage(storage),
    )
    uses = _uses(engine, client) | {"fileset": names.fileset(engine, client.fileset)}
    files = (
        _around(engine, client)
        | _place(engine, pool, storage)
        | _fileset(engine, client.fileset)
        | _fileset(engine, fileset)
        | _client(engine, client)
        | {found.job: resources.backup_job(found.job, **uses)}
    )
    _write(engine, files)
    return found


def prepare_restore(engine, client) -> str:
    """Let the Director know the job that restores to a client; return its name."""
    name = names.restore_job(engine, client)
    return _job(engine, client, name, resources.restore_job)


def prepare_verify(engine, client) -> str:
    """Let the Director know the job that verifies backups of a client; return its name."""
    name = names.verify_job(engine, client)
    return _job(engine, client, name, resources.verify_job)


def prepare_command(engine, client, command: Sequence[str]) -> str:
    """Let the Director know the job that runs a command line on a client; return its name."""
    name = names.command_job(engine, client, command)
    make = functools.partial(resources.command_job, command=command)
    return _job(engine, client, name, make)


def forget_client(engine, client) -> None:
    """Let the Director forget a client and its jobs; of an adopted one only what we added goes."""
    if engine.config_dir is None:
        return  # it was never told
    jobs = (names.backup_job, names.restore_job, names.verify_job)
    added = [
        *configuring.present(engine, names.command_jobs(engine, client)),
        *(name(engine, client) for name in jobs),
        *([] if client.is_adopted else [names.client(engine, client)]),
    ]
    configuring.remove(engine, added)
    if not client.is_adopted:
        with engine.director() as director:
            director.delete_client(names.client(engine, client))


def _job(engine, client, name, make) -> str:
    files = _around(engine, client) | _client(engine, client)
    _write(engine, files | {name: make(name, **_uses(engine, client))})
    return name


def _uses(engine, client) -> dict[str, str]:
    """Return the names of what jobs of a client use that back up no files."""
    return {
        "client": names.client(engine, client),
        "fileset": names.nothing(engine),
        "pool": names.pool(engine, client.pool),
        "storage": names.storage(client.pool.storage),
        "messages": names.messages(engine),
    }


def _around(engine, client) -> dict[str, str]:
    messages, nothing = names.messages(engine), names.nothing(engine)
    return {
        messages: resources.messages(messages),
        nothing: filesets.nothing(nothing),
        **_place(engine, client.pool, client.pool.storage),
    }


def _place(engine, pool, storage) -> dict[str, str]:
    files = {}
    name = names.storage(storage)
    values = {} if storage.is_adopted else storages.read(engine.storages).get(name, {})
    if values:
        files[names.storage_file(engine, storage)] = resources.storage(name, values)
    if not pool.is_adopted:
        name = names.pool(engine, pool)
        files[name] = resources.pool(name)
    return files


def _fileset(engine, fileset) -> dict[str, str]:
    if fileset.is_adopted:
        return {}
    name = names.fileset(engine, fileset)
    return {name: filesets.fileset(name, fileset, databases.plugins(engine, fileset))}


def _client(engine, client) -> dict[str, str]:
    if client.is_adopted:
        return {}
    name = names.client(engine, client)
    password = client_password(engine, name)
    text = resources.client(name, client, password=password, catalog=_catalog(engine))
    return {name: text}


def _catalog(engine) -> str:
    """Return the name of the Director's catalog; raises EngineError where it has several."""
    place = engine.address, engine.port
    if place not in _catalogs:
        with engine.director() as director:
            found = [line.strip() for line in director.ask(".catalogs")]
        if len(found) != 1:
            raise EngineError(
                f"The Director has the catalogs {', '.join(found)}: a client that this service "
                "adds to it can only be in its only one."
            )
        _catalogs[place] = found[0]
    return _catalogs[place]


def _write(engine, files: dict[str, str]) -> None:
    changed = configuring.write(engine, files)
    pools = [name for name in changed if files[name].startswith("Pool ")]
    if pools:
        with engine.director() as director:
            for name in pools:
                director.update_pool(name)
