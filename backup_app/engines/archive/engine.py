"""The embedded engine; each method calls the module that does the work."""

from collections.abc import Iterator, Sequence

from ...exceptions import InvalidEngine
from ...models import Job
from ..base import Engine
from ..previews import Preview
from ..shared.job_parts import parent_of
from ..values import Outcome, Run, Selection, System, Tick, no_tick
from .backup import run as backups
from .catalog import differences, history, names, selection
from .catalog import view as views
from .catalog.view import View
from .databases import load, safety_dump
from .download import planner, reader
from .download.plan import Plan
from .maintenance import check, rebuild, restore_test
from .maintenance import verify as verification
from .restore import destination, preparation, selected
from .restore import run as restores
from .storage import labels, removal, space
from .transport import client_setup, key_installation, machines
from .transport import host_keys as ssh_keys

MiB = 1024 * 1024


class ArchiveEngine(Engine):
    """Backs up with the client's own GNU tar and find, into ``.tar.zst`` volumes in folders.

    OPTIONS: ``frame_bytes`` is the size of a volume's frames before compression, and reading a
    single file takes a whole frame; ``compression`` is zstd's level for filesets without one;
    ``threads`` is how many compress at once, 0 for one per processor.
    """

    name = "archive"
    supports_databases = True
    supports_commands = True
    supports_key_installation = True
    supports_host_keys = True
    supports_keeping = True
    supports_finding = True
    supports_restore_tests = True

    def __init__(self, *, frame_bytes: int = 4 * MiB, compression: int = 3, threads: int = 0):
        if not 64 * 1024 <= frame_bytes <= 64 * MiB:
            raise InvalidEngine(f"frame_bytes is {frame_bytes}, not from 64 KiB to 64 MiB.")
        if not 1 <= compression <= 19:
            raise InvalidEngine(f"compression is {compression}, not from 1 to 19.")
        self.frame_bytes = frame_bytes
        self.compression = compression
        self.threads = threads

    # --- Methods of other modules, most of whose functions need nothing of the engine ----------

    backup = backups.back_up
    verify = staticmethod(verification.verify)
    test_restore = staticmethod(restore_test.test_restore)
    require_destination = staticmethod(destination.require_destination)
    files_ending = staticmethod(views.files_ending)
    jobs_with_path = staticmethod(views.jobs_with_path)
    index_names = staticmethod(names.index_names)
    unindexed_jobs = staticmethod(names.unindexed_jobs)
    search_names = staticmethod(names.search_names)
    history = staticmethod(history.history)
    differences = staticmethod(differences.differences)
    client_config = staticmethod(client_setup.client_config)
    install_key = staticmethod(key_installation.install_key)
    host_keys = staticmethod(ssh_keys.scan_host_keys)
    pin_host_keys = staticmethod(ssh_keys.pin)
    require_connection = staticmethod(machines.require_connection)
    run_command = staticmethod(machines.run_command)
    require_database = staticmethod(load.require_database)
    label_storage = staticmethod(labels.label_storage)
    storage_fault = staticmethod(labels.storage_fault)
    disk_usage = staticmethod(space.disk_usage)
    remove = staticmethod(removal.remove)
    finish_removals = staticmethod(removal.finish_removals)
    forget = staticmethod(safety_dump.forget)
    check_storage = staticmethod(check.check_storage)
    identify = staticmethod(rebuild.identify)
    rebuild_catalog = staticmethod(rebuild.rebuild_catalog)

    # --- Doing jobs ------------------------------------------------------------------------

    def restore(self, run: Run) -> Outcome:
        if "database" in run.job.request:
            wanted = run.job.request["database"]
            dump = self.find_dump(parent_of(run.job), wanted["database"], wanted["kind"])
            return load.load_database(run, dump)
        return restores.restore(run)

    def preview_restore(
        self, job: Job, tick: Tick = no_tick, *, patience: float | None = None
    ) -> Preview:
        return preparation.preview(job, tick, patience)

    def discard(self, job: Job) -> None:
        if job.type == job.Type.RESTORE:
            restores.discard(job)
        if job.type == job.Type.VERIFY and "sample" in job.request:
            restore_test.discard(job)
        backups.discard(job)

    # --- Reading a backup's view -----------------------------------------------------------

    def view(self, job: Job) -> View:
        return View(job)

    def select_paths(self, job: Job, paths: Sequence[bytes]) -> Selection:
        return selection.select_paths(View(job), paths)

    def select_ids(self, job: Job, nodes: Sequence[int], files: Sequence[int]) -> Selection:
        return selection.select_ids(View(job), nodes, files)

    # --- Downloading a backup's view as a plain tar ----------------------------------------

    def plan_download(self, job: Job, tick: Tick = no_tick) -> tuple[int, bytes]:
        plan = planner.make_plan(View(job), tick)
        return plan.size, plan.pack()

    def may_be_slow_to_plan(self, job: Job) -> bool:
        return not planner.is_quick(View(job))

    def open_download(self, job: Job, plan: bytes) -> reader.Download:
        return reader.Download(Plan.unpack(plan), self.frame_bytes)

    def open_selection(self, job: Job, selection: Selection) -> tuple[int, reader.Download]:
        plan = selected.plan_selection(job, selection)
        return plan.size, reader.Download(plan, self.frame_bytes)

    # --- Clients, and what it needs --------------------------------------------------------

    def systems(self) -> Sequence[System]:
        return client_setup.SYSTEMS

    def worker_faults(self) -> Iterator[str]:
        return check.faults(self.alias)

    faults = worker_faults

    def own_faults(self) -> Iterator[str]:
        return check.missing_programs(self.alias)
