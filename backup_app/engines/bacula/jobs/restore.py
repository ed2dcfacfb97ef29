"""Starts and follows restores by Bacula."""

import os
from dataclasses import replace

from ....exceptions import EngineError, Invalid
from ....lib import destinations
from ....models import Client, Job
from ...previews import Existing, Findings, State
from ...shared.job_parts import parent_of
from ...values import Outcome, Run
from .. import names
from ..catalog.records import JobRow
from ..clients import databases
from ..config import database_plugins, provisioning
from ..director import follow, submit
from ..director.director import Director
from ..extraction.bls import require_readable
from ..names import Bacula
from .chosen import choose

REPLACE = {Existing.OVERWRITE: "always", Existing.KEEP_NEWER: "ifnewer", Existing.KEEP: "never"}
KEPT = "Bacula does not tell which of these entries it has kept as they were:"


def restore(engine: Bacula, run: Run) -> Outcome:
    """Restore what ``run.job`` says; see ``Engine.restore``.

    Bacula replaces each file as it reads it, so where this host can read the volumes, all of it is
    read before. Raises Unfinished until the restore has ended.
    """
    run.tick()
    with follow.patience(engine, run), engine.director() as director:
        if run.job.engine_job_id is None:
            submit.begin(engine, run, lambda comment: _start(engine, director, run, comment))
        row = follow.follow(engine, director, run)
        follow.require_good(engine, row)
    return _outcome(run.job, row)


def existing_of(job: Job) -> Existing:
    """Return what a restore does with files that are there."""
    return Existing(job.request.get("existing", Existing.OVERWRITE))


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


def _place(job: Job) -> str:
    if "database" in job.request:
        return database_plugins.load_place(job.request["database"]["database"])
    return where(job.client, destinations.unpacked(job.request))


def _start(engine: Bacula, director: Director, run: Run, comment: str) -> int:
    job = run.job
    name = provisioning.prepare(engine, "restore", job.client)
    chosen = choose(engine, director, job)
    require_readable(engine, director, chosen.selection, run.tick)
    for note in chosen.notes:
        run.info(note)
    run.expect(chosen.bytes)
    return director.restore(
        chosen.selection,
        job=name,
        source=names.of(engine, parent_of(job).client),
        client=names.of(engine, job.client),
        where=_place(job),
        replace=REPLACE[existing_of(job)],
        comment=comment,
    )


def _outcome(job: Job, row: JobRow) -> Outcome:
    """Return what Bacula has written. Its number of entries includes those that it has kept."""
    outcome = Outcome(files=row.files, bytes=row.bytes, warnings=row.errors)
    if existing_of(job) != Existing.OVERWRITE:
        return replace(outcome, message=KEPT)
    findings = Findings(placed={State.UNKNOWN: [row.files, row.bytes]})
    return replace(outcome, report=findings.as_json())
