"""Starts and follows restores by Bacula."""

import os

from ....exceptions import EngineError, Invalid
from ....lib import destinations
from ....lib.formatting import counted
from ....models import Client, Job
from ...base import Outcome, Run, Selection
from .. import names
from ..clients import databases
from ..config import database_plugins, provisioning
from ..director import follow, submit
from ..director.director import CatalogSelection, Director
from ..extraction.bls import require_readable
from ..names import Bacula
from . import plugin_files, sources
from .hard_links import with_first_names


def restore(engine: Bacula, run: Run) -> Outcome:
    """Restore what ``run.job`` says; see ``Engine.restore``.

    Bacula replaces each file as it reads it, so where this host can read the volumes, all of it is
    read before. Raises Unfinished until the restore has ended.
    """
    run.tick()
    with follow.patience(engine, run), engine.director() as director:
        if run.job.engine_job_id is None:
            selection = _select(engine, run.job)
            submit.begin(
                engine, run, lambda comment: _start(engine, director, selection, run, comment)
            )
        row = follow.follow(engine, director, run)
        follow.require_good(engine, row)
    return Outcome(files=row.files, bytes=row.bytes, warnings=row.errors)


def require_destination(client: Client, path: bytes) -> None:
    """Raise Invalid for a path that cannot be passed to Bacula.

    And Forbidden for the path that makes our script load dumps.
    """
    databases.require_no_load(path)
    try:
        names.quoted(where(client, path))
    except EngineError as e:
        raise Invalid({"path": [str(e)]}) from e


def where(client: Client, path: bytes) -> str:
    """Return a destination as Bacula takes it: on Windows it begins with the drive."""
    text = os.fsdecode(path)
    is_windows = client.system == Client.System.WINDOWS and path != destinations.ORIGINAL
    return text.lstrip("/") if is_windows else text


def _select(engine: Bacula, job: Job) -> CatalogSelection:
    """Return what is asked for; raises NotFound for what the backup does not have."""
    chosen = _chosen(engine, job)
    selection = CatalogSelection(
        jobs=sources.job_ids(sources.backup_of(job)),
        files=[number for number, _ in chosen.files],
        folders=[number for number, _ in chosen.nodes],
    )
    plugin_files.require_none(engine.reader(), selection)
    return selection


def _chosen(engine: Bacula, job: Job) -> Selection:
    request, backup = job.request, sources.backup_of(job)
    if "database" in request:
        name, kind = request["database"]["database"], request["database"]["kind"]
        return engine.find_dump(backup, name, kind)
    return engine.select_ids(backup, request.get("nodes", ()), request.get("files", ()))


def _place(job: Job) -> str:
    if "database" in job.request:
        return database_plugins.load_place(job.request["database"]["database"])
    return where(job.client, destinations.unpacked(job.request))


def _start(
    engine: Bacula, director: Director, selection: CatalogSelection, run: Run, comment: str
) -> int:
    job = run.job
    name = provisioning.prepare_restore(engine, job.client)
    selection = with_first_names(director, selection)
    require_readable(engine, director, selection, run.tick)
    if selection.links:
        more = counted(len(selection.links), "file")
        run.info(f"Hard links lead to {more} outside of the selection: restored as well.")
    return director.restore(
        selection,
        job=name,
        source=names.of(engine, sources.backup_of(job).client),
        client=names.of(engine, job.client),
        where=_place(job),
        comment=comment,
    )
