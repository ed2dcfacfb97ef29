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

from ...conf import conf
from ...exceptions import EngineError, EngineUnreachable
from ...models import Client
from . import configuring, databases, filesets, names, resources, storages
from .passwords import client_password

Files = dict[str, str]  # texts by the names of their files
ORDER = ("common", "storage", "pool", "fileset", "client")  # what is referred to goes first
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
    if not client.is_adopted:
        _prepare(engine, client)
    return names.client(engine, client)


def prepare_backup(engine, client, fileset, pool, storage) -> Names:
    """Let the Director know the backup job of a client, and what this backup uses.

    The job itself names the client's own fileset and pool, and is to be told of others when it is
    started.
    """
    _prepare(engine, client, _place(engine, pool, storage) | _fileset(engine, fileset))
    return Names(
        job=names.backup_job(engine, client),
        client=names.client(engine, client),
        fileset=names.fileset(engine, fileset),
        pool=names.pool(engine, pool),
        storage=names.storage(storage),
    )


def prepare_restore(engine, client) -> str:
    """Let the Director know the job that restores to a client; return its name."""
    _prepare(engine, client)
    return names.restore_job(engine, client)


def prepare_verify(engine, client) -> str:
    """Let the Director know the job that verifies backups of a client; return its name."""
    _prepare(engine, client)
    return names.verify_job(engine, client)


def prepare_command(engine, client, command: Sequence[str]) -> str:
    """Let the Director know the job that runs an allowed command line on a client; return its name.

    Raises EngineError for a line that the operator does not allow.
    """
    if list(command) not in conf.commands:
        raise EngineError(f"The operator does not allow the command '{' '.join(command)}'.")
    _prepare(engine, client)
    return names.command_job(engine, client, command)


def forget_client(engine, client) -> None:
    """Let the Director forget a client and its jobs; of an adopted one only what we added goes."""
    if engine.config_dir is None:
        return  # it was never told
    configuring.remove(engine, [names.client_file(engine, client)])
    if not client.is_adopted:
        with engine.director() as director:
            director.delete_client(names.client(engine, client))


def _prepare(engine, client, others: Files | None = None) -> None:
    own = _client_files(engine, client) | (others or {})
    if configuring.is_known(engine, own):
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

    changed = configuring.write(engine, {name: files[name] for name in sorted(files, key=place)})
    pools = [name for name in changed if files[name].startswith("Pool ")]
    if pools:
        with engine.director() as director:
            for name in pools:
                director.update_pool(name)


# --- Files ---------------------------------------------------------------------------------------


def _all_files(engine) -> Files:
    """Return what all clients of an engine need, but those that cannot be written."""
    clients = Client.objects.present().filter(zone__engine=engine.alias)
    files: Files = {}
    for client in clients.select_related("fileset", "pool__storage"):
        with contextlib.suppress(EngineError):
            files |= _client_files(engine, client)
    return files


def _client_files(engine, client) -> Files:
    """Return what a client needs: itself with its jobs, and what those use."""
    jobs = "\n".join(_jobs(engine, client))
    return {
        f"{engine.prefix}common": _common(engine),
        **_place(engine, client.pool, client.pool.storage),
        **_fileset(engine, client.fileset),
        names.client_file(engine, client): f"{_client(engine, client)}{jobs}",
    }


def _common(engine) -> str:
    messages = resources.messages(names.messages(engine))
    return f"{messages}\n{filesets.nothing(names.nothing(engine))}"


def _place(engine, pool, storage) -> Files:
    files = {}
    name = names.storage(storage)
    values = {} if storage.is_adopted else storages.read(engine.storages).get(name, {})
    if values:
        files[names.storage_file(engine, storage)] = resources.storage(name, values)
    if not pool.is_adopted:
        name = names.pool(engine, pool)
        files[name] = resources.pool(name)
    return files


def _fileset(engine, fileset) -> Files:
    if fileset.is_adopted:
        return {}
    name = names.fileset(engine, fileset)
    return {name: filesets.fileset(name, fileset, databases.plugins(engine, fileset))}


def _client(engine, client) -> str:
    if client.is_adopted:
        return ""
    name = names.client(engine, client)
    password = client_password(engine, name)
    return resources.client(name, client, password=password, catalog=_catalog(engine)) + "\n"


def _jobs(engine, client) -> Iterator[str]:
    uses = {
        "client": names.client(engine, client),
        "fileset": names.nothing(engine),
        "pool": names.pool(engine, client.pool),
        "storage": names.storage(client.pool.storage),
        "messages": names.messages(engine),
    }
    files = names.fileset(engine, client.fileset)
    yield resources.backup_job(names.backup_job(engine, client), **uses | {"fileset": files})
    yield resources.restore_job(names.restore_job(engine, client), **uses)
    yield resources.verify_job(names.verify_job(engine, client), **uses)
    for command in conf.commands:
        name = names.command_job(engine, client, command)
        yield resources.command_job(name, command, **uses)


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
