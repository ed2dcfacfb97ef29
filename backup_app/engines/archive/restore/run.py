"""Restoring: read the volumes, check, unpack in a private folder, place."""

import sqlite3
from contextlib import suppress
from dataclasses import dataclass

from ....exceptions import EngineError
from ....lib import destinations
from ....lib.formatting import counted
from ....lib.paths import is_in
from ...base import Outcome, Run
from ...shared.dumps import DUMPS
from .. import paths
from ..catalog.selection import select_ids
from ..catalog.view import View
from ..integrity.comparison import CatalogDamaged, load_manifests
from ..storage import layout
from ..transport.machines import machine_for
from . import remote_target, staging
from .local_target import LocalTarget
from .plan import RestorePlan
from .remote_target import RemoteTarget
from .unpack import unpack

MOST_LINES = 1000  # of the log, for what could not be placed


def restore(run: Run) -> Outcome:
    """Restore what ``run.job`` says; see ``Engine.restore``.

    Nothing is placed before all of it has been read and checked. What is then in the way of
    something is said in the log; if nothing at all could be placed, the job fails.
    """
    try:
        folder = layout.make_work_folder(run.job)
        with RestorePlan(folder / "plan.sqlite3") as plan:
            outcome = _restore(run, plan, folder)
        layout.remove_work_folder(run.job)
    except sqlite3.Error as e:
        storage = run.job.storage
        raise EngineError(f"The storage '{storage}' cannot be used for work: {e}.") from e
    return outcome


def discard(job) -> None:
    """Remove what a restore that did not succeed has left. What was placed by then stays."""
    folder = layout.work_folder(job)
    staging.remove_noted(folder)
    if job.client.connection == "ssh":
        with suppress(EngineError):
            remote_target.remove_noted(machine_for(job.client), folder)
    layout.remove_work_folder(job)


@dataclass
class Refusals:
    """Writes down what could not be placed, without filling the log."""

    run: Run
    count: int = 0
    first: str = ""

    def __call__(self, path: bytes, sentence: str) -> None:
        self.count += 1
        line = f"'/{paths.shown(path)}': {sentence}"
        self.first = self.first or line
        if self.count <= MOST_LINES:
            self.run.warning(line)

    def finish(self, placed: int) -> None:
        """Raise EngineError if nothing was placed for all that was refused."""
        if self.count and not placed:
            raise EngineError(f"Nothing could be restored. {self.first}")
        if self.count > MOST_LINES:
            self.run.warning(f"{self.count - MOST_LINES} more could not be restored.")


def _restore(run, plan, folder):
    job, view = run.job, View(run.job.parent)
    request = job.request
    selection = select_ids(view, request.get("nodes", ()), request.get("files", ()))
    destination = destinations.unpacked(request)
    target = _target(job, destination, run.tick)
    plan.fill(view, selection, run.tick)
    lost = _compare(plan, view, selection, run)
    if destination == paths.ROOT:
        _leave_dumps(plan, run)
    foreign = target.machine.local and job.parent.client_id != job.client_id
    if foreign:
        _leave_devices(plan, run)
    refusals = Refusals(run)
    plan.remove_misplaced(
        lambda path: refusals(path.strip(b"/"), "What it lies in is no folder in this backup.")
    )
    target.require_room(plan)
    files, size = plan.count(), plan.size()
    run.expect(size)
    where = "its original location" if destination == paths.ROOT else paths.shown(destination)
    what = counted(files, "entry", "entries")
    run.info(f"To {where} on '{job.client}': {what} of backup {job.parent_id}.")
    with target.private_folder(plan, folder):
        unpack(plan, target.machine, target.tree, run, attributes="user.*" if foreign else "*")
        if foreign:
            target.disarm()
        target.drop(plan.only_helping(), plan)
        refusals.finish(target.place(plan.passed, refusals))
    return Outcome(files=files, bytes=size, warnings=refusals.count + lost)


def _compare(plan, view, selection, run):
    """Go by the manifests where the catalog says otherwise; return how many entries that concerns.

    Without a manifest the catalog counts, and a warning.
    """
    chosen = {path for _, path in (*selection.nodes, *selection.files)}
    try:
        load_manifests(view, chosen, plan, run.tick)
    except CatalogDamaged:
        raise
    except EngineError as e:
        run.warning(f"{e} Whether the catalog lacks something is not known.")
        return 1
    unlike = plan.differences()
    if unlike:
        run.error(
            f"The catalog of backup {view.job.pk} is damaged: verify it. The manifests beside the"
            f" volumes say what is restored of {counted(len(unlike), 'entry', 'entries')}."
        )
        plan.use_manifest()
    for path in unlike[:MOST_LINES]:
        run.warning(f"'{paths.shown(path)}' is restored as its manifest says.")
    return len(unlike)


def _leave_dumps(plan, run):
    """Leave out dumps of databases, which were never files of the client."""
    if plan.remove(lambda path, kind: is_in(path, DUMPS.encode())):
        run.info("Dumps of databases have no original location, and are left out.")
    if not plan.count():
        raise EngineError("Dumps of databases have no original location: restore them elsewhere.")


def _leave_devices(plan, run):
    """Leave out devices: what another machine has kept must open none of this one's to its users.

    Nor may its programs run here as root, for which their own rights are taken away later.
    """
    if count := plan.remove(lambda path, kind: kind == "b"):
        run.warning(f"{count} devices of another machine are left out.")
    if not plan.count():
        raise EngineError("Devices of another machine are not made on this one.")


def _target(job, destination, tick):
    machine = machine_for(job.client)
    if machine.local:
        return LocalTarget(job, destination, tick)
    return RemoteTarget(job, destination, tick, machine)
