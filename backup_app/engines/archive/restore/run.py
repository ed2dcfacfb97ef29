"""The steps of a restore: plan, compare with the manifests, unpack and check, place."""

import sqlite3
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ....exceptions import EngineError
from ....lib import destinations, paths
from ....lib.formatting import counted
from ....lib.paths import is_in, shown
from ....models import Job
from ...shared.dumps import DUMPS
from ...shared.job_parts import parent_of
from ...values import Outcome, Run, Selection, Tick
from ..catalog.selection import select_ids
from ..catalog.view import View
from ..integrity.comparison import CatalogDamaged, load_manifests
from ..storage import layout
from ..transport.machines import SshMachine, machine_for
from . import remote_target, staging
from .local_target import LocalTarget
from .plan import RestorePlan
from .remote_target import RemoteTarget
from .unpack import unpack

MAX_LINES = 1000  # in the log, for paths that could not be placed


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


@dataclass
class Refusals:
    """Logs what could not be placed, up to a limit."""

    run: Run
    count: int = 0
    first: str = ""

    def __call__(self, path: bytes, sentence: str) -> None:
        self.count += 1
        line = f"'/{shown(path)}': {sentence}"
        self.first = self.first or line
        if self.count <= MAX_LINES:
            self.run.warning(line)

    def finish(self, placed: int) -> None:
        """Raise EngineError if nothing was placed for all that was refused."""
        if self.count and not placed:
            raise EngineError(f"Nothing could be restored. {self.first}")
        if self.count > MAX_LINES:
            self.run.warning(f"{self.count - MAX_LINES} more could not be restored.")


def _restore(run: Run, plan: RestorePlan, folder: Path) -> Outcome:
    job, parent = run.job, parent_of(run.job)
    view = View(parent)
    request = job.request
    selection = select_ids(view, request.get("nodes", ()), request.get("files", ()))
    destination = destinations.unpacked(request)
    target = _target(job, destination, run.tick)
    plan.fill(view, selection, run.tick)
    lost = _compare(plan, view, selection, run)
    if destination == paths.ROOT:
        _remove_dumps(plan, run)
    foreign = isinstance(target, LocalTarget) and parent.client_id != job.client_id
    if foreign:
        _remove_devices(plan, run)
    refusals = Refusals(run)
    plan.remove_misplaced(
        lambda path: refusals(path.strip(b"/"), "A path above it is not a folder in this backup.")
    )
    target.require_room(plan)
    files, size = plan.count(), plan.size()
    run.expect(size)
    where = "its original location" if destination == paths.ROOT else shown(destination)
    what = counted(files, "entry", "entries")
    run.info(f"To {where} on '{job.client}': {what} of backup {job.parent_id}.")
    with target.private_folder(plan, folder):
        unpack(plan, target.machine, target.tree, run, attributes="user.*" if foreign else "*")
        if foreign and isinstance(target, LocalTarget):
            target.disarm()
        target.drop(plan.only_helping(), plan)
        refusals.finish(target.place(plan.passed, refusals))
    return Outcome(files=files, bytes=size, warnings=refusals.count + lost)


def _compare(plan: RestorePlan, view: View, selection: Selection, run: Run) -> int:
    """Replace parts that differ from the manifests by these; return how many differ.

    Without a manifest the catalog is trusted, which counts as one warning.
    """
    chosen = {path for _, path in (*selection.nodes, *selection.files)}
    try:
        load_manifests(view, chosen, plan, run.tick)
    except CatalogDamaged:
        raise
    except EngineError as e:
        run.warning(f"{e} So the catalog could not be checked.")
        return 1
    unlike = plan.differences()
    if unlike:
        run.error(
            f"The catalog of backup {view.job.pk} is damaged: verify it."
            f" {counted(len(unlike), 'entry is', 'entries are')} restored as the manifests beside"
            " the volumes say."
        )
        plan.use_manifest()
    for path in unlike[:MAX_LINES]:
        run.warning(f"'{shown(path)}' is restored as its manifest says.")
    return len(unlike)


def _remove_dumps(plan: RestorePlan, run: Run) -> None:
    """Leave out dumps of databases, which were never files of the client."""
    if plan.remove(lambda path, kind: is_in(path, DUMPS.encode())):
        run.info("Dumps of databases have no original location and are left out.")
    if not plan.count():
        raise EngineError("Dumps of databases have no original location: restore them elsewhere.")


def _remove_devices(plan: RestorePlan, run: Run) -> None:
    """Leave out devices: another machine's must not open this one's disks to its users.

    For the same reason its programs lose set-user-ID later.
    """
    if count := plan.remove(lambda path, kind: kind == "b"):
        run.warning(f"{count} devices of another machine are left out.")
    if not plan.count():
        raise EngineError("Devices of another machine are not restored to this one.")


def _target(job: Job, destination: bytes, tick: Tick) -> LocalTarget | RemoteTarget:
    machine = machine_for(job.client)
    if isinstance(machine, SshMachine):
        return RemoteTarget(job, destination, tick, machine)
    return LocalTarget(job, destination, tick, machine)
