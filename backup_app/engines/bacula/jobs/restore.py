"""Starts and follows restores by Bacula."""

import os
from dataclasses import replace

from ....exceptions import EngineError, Invalid
from ....lib import destinations
from ....lib.formatting import counted
from ....models import Client, Job
from ...shared.job_parts import parent_of
from ...values import Outcome, Run, Selection
from .. import names
from ..catalog.connection import number
from ..clients import databases
from ..config import database_plugins, provisioning
from ..director import follow, submit
from ..director.director import CatalogSelection, Director
from ..extraction.bls import require_readable
from ..names import Bacula
from . import plugin_files, sources

MAX_LINKS = 40_000  # links that one command can name
LINK = "split_part(f.lstat, ' ', 14)"  # the number of the first name
FIRST_NAMES = f"""
SELECT DISTINCT l.jobid, l.first FROM (
    SELECT w.jobid, {number(LINK)} AS first
    FROM {{table}} w JOIN file f USING (fileid)
    WHERE {LINK} ~ '^[A-Za-z0-9+/]{{{{1,10}}}}$' AND {LINK} <> 'A'
) l WHERE l.first > 0
    AND NOT EXISTS (SELECT 1 FROM {{table}} t WHERE t.jobid = l.jobid AND t.fileindex = l.first)
"""  # noqa: S608 - made of constants


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
    """Return the requested files; raises NotFound for what the backup does not have."""
    chosen = _chosen(engine, job)
    selection = CatalogSelection(
        jobs=sources.job_ids(parent_of(job)),
        files=[number for number, _ in chosen.files],
        folders=[number for number, _ in chosen.nodes],
    )
    plugin_files.require_none(engine.reader(), selection)
    return selection


def _chosen(engine: Bacula, job: Job) -> Selection:
    request, backup = job.request, parent_of(job)
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
    name = provisioning.prepare(engine, "restore", job.client)
    selection = _with_first_names(director, selection)
    require_readable(engine, director, selection, run.tick)
    if selection.links:
        more = counted(len(selection.links), "file")
        run.info(f"Hard links lead to {more} outside of the selection: restored as well.")
    return director.restore(
        selection,
        job=name,
        source=names.of(engine, parent_of(job).client),
        client=names.of(engine, job.client),
        where=_place(job),
        comment=comment,
    )


def _with_first_names(director: Director, selection: CatalogSelection) -> CatalogSelection:
    """Return a selection with the first names of its hard links.

    Bacula stores the content of a file with the first of its names only. Raises EngineError if
    these are too many for Bacula.
    """
    # The Director owns the table: a role that may only read the catalog may not see it.
    with director.table_of(selection) as table:
        query = " ".join(FIRST_NAMES.format(table=table).split())
        rows = director.ask_slowly(f'.sql query="{query}"')
    links = [(int(job_id), int(index)) for job_id, index in (row.split("\t")[:2] for row in rows)]
    if len(links) > MAX_LINKS:
        raise EngineError(
            f"{len(links)} hard links lead out of the selection, more than Bacula accepts: restore"
            " a folder further up."
        )
    return replace(selection, links=links)
