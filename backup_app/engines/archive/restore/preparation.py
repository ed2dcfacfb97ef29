"""What a restore does before it reads a volume; a plan is made by the same steps."""

from dataclasses import dataclass, field
from typing import Any

from ....exceptions import EngineError
from ....lib import destinations, paths
from ....lib.formatting import counted
from ....lib.paths import is_in, shown
from ....models import Job, Volume
from ...previews import Existing, Findings, NeededVolume, Preview
from ...shared.dumps import DUMPS
from ...shared.job_parts import parent_of
from ...values import Run, Selection, Tick
from ..catalog.selection import select_ids
from ..catalog.view import View
from ..integrity.comparison import CatalogDamaged, load_manifests
from ..storage.layout import volume_fault
from ..transport.machines import SshMachine, machine_for
from .local_target import LocalTarget
from .plan import RestorePlan
from .remote_target import RemoteTarget
from .survey import survey

MAX_LINES = 1000  # in the log, for paths that could not be placed


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


@dataclass
class Prepared:
    """A restore of which everything is known but the content."""

    target: LocalTarget | RemoteTarget
    refusals: Refusals
    findings: Findings
    lost: int  # entries of which the catalog was wrong
    is_foreign: bool  # another machine's files, restored to this one


def prepare(run: Run, plan: RestorePlan, patience: float | None = None) -> Prepared:
    """Fill the plan of the restore ``run.job`` and look at what is in the place of its entries.

    Raises as a restore does; notes go to the log. For ``patience`` see ``Engine.preview_restore``.
    """
    job, parent = run.job, parent_of(run.job)
    view = View(parent)
    request = job.request
    selection = select_ids(view, request.get("nodes", ()), request.get("files", ()))
    destination = destinations.unpacked(request)
    existing = Existing(request.get("existing", Existing.OVERWRITE))
    target = _target(job, destination, run.tick, existing, patience)
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
    findings = survey(plan, target.place_now, existing, run.tick)
    return Prepared(target, refusals, findings, lost, foreign)


@dataclass
class Notes:
    """Takes the place of a running job while only its plan is made."""

    job: Job
    tick: Tick
    lines: list[str] = field(default_factory=list)

    def info(self, message: str) -> None:
        """Leave out what is no warning."""

    def warning(self, message: str) -> None:
        self.lines.append(message)

    error = warning

    def expect(self, size: int) -> None:
        """Do nothing: there is no progress to show."""

    def adopt(self, numbers: object) -> None:
        """Do nothing: the archive engine adopts no jobs."""


def preview(job: Job, tick: Tick, patience: float | None = None) -> Preview:
    """See ``Engine.preview_restore``."""
    notes = Notes(job, tick)
    with RestorePlan() as plan:
        run: Any = notes  # whose tick takes no progress
        prepared = prepare(run, plan, patience)
        return Preview(
            findings=prepared.findings,
            entries=plan.count(),
            bytes=plan.size(),
            free=prepared.target.place_now.free(),
            volumes=_volumes(plan),
            notes=notes.lines,
        )


def _volumes(plan: RestorePlan) -> list[NeededVolume]:
    sources = plan.sources()
    rows = Volume.objects.filter(job__in=sources).select_related("job__storage").order_by("job")
    found = [NeededVolume(v.job_id, v.path, v.size, volume_fault(v)) for v in rows]
    missing = set(sources) - {volume.job_id for volume in found}
    return found + [
        NeededVolume(pk, "", 0, f"Backup {pk} has no volume.") for pk in sorted(missing)
    ]


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


def _target(
    job: Job, destination: bytes, tick: Tick, existing: Existing, patience: float | None
) -> LocalTarget | RemoteTarget:
    machine = machine_for(job.client, patience)
    if isinstance(machine, SshMachine):
        return RemoteTarget(job, destination, tick, machine, existing)
    return LocalTarget(job, destination, tick, machine, existing)
