"""Adds to the Director what a job needs, before the job is started.

Called by jobs in any worker, again for each job: where nothing has changed, nothing is written and
the Director is not asked. All raise EngineError and EngineUnreachable, and WrongState where
something would have to be added and the option config_dir is not set.

While a job runs, which may be for hours, a Director accepts only 32 reloads. So a change for one
client also writes what has changed for all others.
"""

from collections.abc import Sequence

from ....exceptions import EngineError, EngineUnreachable
from ....models import Client, Fileset, Pool, Storage
from .. import names
from ..names import Bacula
from . import client_files, config_dir
from .client_files import Files

# Files that others refer to come first, so that each step is a valid configuration.
ORDER = ("common", "nobody", "storage", "pool", "fileset", "client", "command")


def prepare_backup(
    engine: Bacula, client: Client, fileset: Fileset, pool: Pool, storage: Storage
) -> dict[str, str]:
    """Add the backup job of a client, and what this backup uses, to the Director.

    The job itself names the client's own fileset and pool, and is to be told of others when it is
    started: by the names that are returned, each by its kind.
    """
    other = client_files.of_pool(engine, pool, storage) | client_files.of_fileset(engine, fileset)
    _prepare(engine, client_files.of_client(engine, client) | other)
    return {
        "job": names.for_client(engine, "backup", client),
        "client": names.of(engine, client),
        "fileset": names.of(engine, fileset),
        "pool": names.of(engine, pool),
        "storage": names.of(engine, storage),
    }


def prepare(engine: Bacula, kind: str, client: Client) -> str:
    """Add the job that does a ``restore`` or ``verify`` for a client; return its name."""
    _prepare(engine, client_files.of_client(engine, client))
    return names.for_client(engine, kind, client)


def prepare_command(engine: Bacula, client: Client, words: Sequence[str]) -> str:
    """Add a client, and the job that runs a command line, to the Director; return its name.

    ``words`` are what stands in the configuration: the operator's own, and never a request's.
    """
    _prepare(engine, client_files.of_command(engine, client, words))
    return names.command_job(engine, words)


def prepare_all(engine: Bacula) -> None:
    """Write all clients as they are now, except those that cannot be expressed in Bacula.

    A client that was deleted, or is another engine's now, stays, as its backups do.
    """
    start = names.for_client(engine, "client", Client(pk=""))
    pks = [name.removeprefix(start) for name in config_dir.read(engine, start)]
    others = Client.objects.filter(pk__in=filter(str.isdecimal, pks))
    others = others.exclude(zone__engine=engine.alias, deleted=None)
    _write(engine, client_files.of_all(engine) | client_files.of_clients(engine, others))


def forget_client(engine: Bacula, client: Client) -> None:
    """Remove a client and its jobs from the Director; of an adopted one only what we added."""
    if engine.config_dir is None:
        return  # it has none
    config_dir.remove(engine, [names.for_client(engine, "client", client)])
    if not client.is_adopted:
        with engine.director() as director:
            director.delete_client(names.of(engine, client))


def _prepare(engine: Bacula, own: Files) -> None:
    if config_dir.is_known(engine, own):
        return
    try:
        _write(engine, client_files.of_all(engine) | own)
    except EngineUnreachable:
        raise
    except EngineError:
        # Another client may have caused it.
        _write(engine, own)


def _write(engine: Bacula, files: Files) -> None:
    def place(name: str) -> int:
        return ORDER.index(name.removeprefix(engine.prefix).partition("-")[0])

    changed = config_dir.write(engine, {name: files[name] for name in sorted(files, key=place)})
    pools = [name for name in changed if files[name].startswith("Pool ")]
    if pools:
        with engine.director() as director:
            for name in pools:
                director.update_pool(name)
