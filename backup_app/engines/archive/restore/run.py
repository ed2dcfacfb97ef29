"""The steps of a restore: plan, compare with the manifests, unpack and check, place."""

import sqlite3
from contextlib import suppress
from pathlib import Path

from ....exceptions import EngineError
from ....lib import destinations, paths
from ....lib.formatting import counted
from ....lib.paths import shown
from ....models import Job
from ...previews import Findings, State
from ...values import Outcome, Run
from ..storage import layout
from ..transport.machines import SshMachine, machine_for
from . import remote_target, staging
from .local_target import LocalTarget
from .plan import RestorePlan
from .preparation import Prepared, prepare
from .unpack import unpack


def restore(run: Run) -> Outcome:
    """Restore what ``run.job`` says; see ``Engine.restore``.

    Nothing is placed before everything was read and checked. What cannot be placed then is named
    in the log; if that is everything, the job fails.
    """
    try:
        folder = layout.make_work_folder(run.job)
        with RestorePlan(folder / "plan.sqlite3") as plan:
            outcome = _restore(run, plan, folder)
        layout.remove_work_folder(run.job)
    except sqlite3.Error as e:
        raise EngineError(
            f"The storage '{run.job.storage}' cannot be used for temporary files: {e}."
        ) from e
    return outcome


def discard(job: Job) -> None:
    """Remove the files of a restore that did not succeed. What it placed by then stays."""
    folder = layout.work_folder(job)
    staging.remove_noted(folder)
    with suppress(EngineError):
        machine = machine_for(job.client)
        if isinstance(machine, SshMachine):
            remote_target.remove_noted(machine, folder)
    layout.remove_work_folder(job)


def _restore(run: Run, plan: RestorePlan, folder: Path) -> Outcome:
    job = run.job
    prepared = prepare(run, plan)
    target, refusals, findings = prepared.target, prepared.refusals, prepared.findings
    files, size = plan.count(), plan.size()
    destination = destinations.unpacked(job.request)
    where = "its original location" if destination == paths.ROOT else shown(destination)
    what = counted(files, "entry", "entries")
    run.info(f"To {where} on '{job.client}': {what} of backup {job.parent_id}.")
    if files:
        run.expect(size)
        with target.private_folder(plan, folder):
            _unpack_and_place(run, plan, prepared)
    refused = refusals.count
    return Outcome(
        files=files,
        bytes=size,
        warnings=refused + prepared.lost,
        message=_kept(findings),
        report={**findings.as_json(), "refused": refused},
    )


def _unpack_and_place(run: Run, plan: RestorePlan, prepared: Prepared) -> None:
    target, refusals = prepared.target, prepared.refusals
    attributes = "user.*" if prepared.is_foreign else "*"
    unpack(plan, target.machine, target.tree, run, attributes=attributes)
    if prepared.is_foreign and isinstance(target, LocalTarget):
        target.disarm()
    target.drop(plan.only_helping(), plan)
    refusals.finish(target.place(plan.passed, refusals))


def _kept(findings: Findings) -> str:
    kept = sum(entries for state, (entries, _) in findings.left.items() if state != State.BLOCKED)
    return f"Left {counted(kept, 'entry', 'entries')} in place." if kept else ""
