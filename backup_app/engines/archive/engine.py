"""The embedded engine; each method calls the module that does the work."""

from collections.abc import Iterator, Sequence

from django.db.models import QuerySet

from ...exceptions import InvalidEngine
from ...models import Client, Job, Storage
from ..base import (
    ClientConfig,
    Engine,
    File,
    Outcome,
    Problem,
    Run,
    Selection,
    System,
    Tick,
    no_tick,
)
from ..shared.job_parts import parent_of
from .backup import run as backup
from .catalog import search, selection
from .catalog.view import View
from .databases import load, safety_dump
from .download import planner, reader
from .download.plan import Plan
from .maintenance import check, rebuild, requirements, verify
from .restore import destination
from .restore import run as restore
from .storage import labels, removal, space
from .transport import client_setup, commands, key_installation

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

    def __init__(self, *, frame_bytes: int = 4 * MiB, compression: int = 3, threads: int = 0):
        if not 64 * 1024 <= frame_bytes <= 64 * MiB:
            raise InvalidEngine(f"frame_bytes is {frame_bytes}, not from 64 KiB to 64 MiB.")
        if not 1 <= compression <= 19:
            raise InvalidEngine(f"compression is {compression}, not from 1 to 19.")
        self.frame_bytes = frame_bytes
        self.compression = compression
        self.threads = threads

    # --- Doing jobs ------------------------------------------------------------------------

    def backup(self, run: Run) -> Outcome:
        return backup.back_up(self, run)

    def restore(self, run: Run) -> Outcome:
        if "database" in run.job.request:
            wanted = run.job.request["database"]
            dump = self.find_dump(parent_of(run.job), wanted["database"], wanted["kind"])
            return load.load_database(run, dump)
        return restore.restore(run)

    def verify(self, run: Run) -> Outcome:
        return verify.verify(run)

    def discard(self, job: Job) -> None:
        if job.type == job.Type.RESTORE:
            restore.discard(job)
        backup.discard(job)

    # --- Reading a backup's view -----------------------------------------------------------

    def view(self, job: Job) -> View:
        return View(job)

    def select_paths(self, job: Job, paths: Sequence[bytes]) -> Selection:
        return selection.select_paths(View(job), paths)

    def select_ids(self, job: Job, nodes: Sequence[int], files: Sequence[int]) -> Selection:
        return selection.select_ids(View(job), nodes, files)

    def require_destination(self, client: Client, path: bytes) -> None:
        destination.require_destination(client, path)

    def files_ending(self, job: Job, endings: Sequence[bytes]) -> Iterator[File]:
        return search.files_ending(job, endings)

    def jobs_with_path(self, jobs: QuerySet[Job], path: bytes) -> QuerySet[Job]:
        return search.jobs_with_path(jobs, path)

    # --- Downloading a backup's view as a plain tar ----------------------------------------

    def plan_download(self, job: Job, tick: Tick = no_tick) -> tuple[int, bytes]:
        plan = planner.make_plan(View(job), tick)
        return plan.size, plan.pack()

    def may_be_slow_to_plan(self, job: Job) -> bool:
        return not planner.is_quick(View(job))

    def open_download(self, job: Job, plan: bytes) -> reader.Download:
        return reader.Download(Plan.unpack(plan), self.frame_bytes)

    # --- Clients ---------------------------------------------------------------------------

    def systems(self) -> Sequence[System]:
        return client_setup.SYSTEMS

    def client_config(self, client: Client) -> ClientConfig:
        return client_setup.client_config(client)

    def install_key(self, client: Client, password: str) -> None:
        key_installation.install_key(client, password)

    def run_command(self, client: Client, command: Sequence[str]) -> str:
        return commands.run_command(client, command)

    def require_database(self, client: Client, kind: str, name: str) -> None:
        load.require_database(client, kind, name)

    # --- What it needs ---------------------------------------------------------------------

    def faults(self) -> Iterator[str]:
        return self.worker_faults()

    def worker_faults(self) -> Iterator[str]:
        return requirements.faults(self.alias)

    # --- Keeping storages in order ---------------------------------------------------------

    def label_storage(self, storage: Storage, *, force: bool = False) -> None:
        labels.label_storage(storage, force=force)

    def storage_fault(self, storage: Storage) -> str:
        return labels.storage_fault(storage)

    def disk_usage(self, storage: Storage) -> tuple[int, int] | None:
        return space.disk_usage(storage)

    def remove(self, job: Job) -> None:
        removal.remove(job)

    def finish_removals(self, storage: Storage) -> None:
        removal.finish_removals(storage)

    def forget(self, job: Job) -> None:
        safety_dump.forget(job)

    def check_storage(self, storage: Storage, *, delete: bool = False) -> Iterator[Problem]:
        return check.check_storage(storage, delete=delete)

    def rebuild_catalog(
        self, storage: Storage, *, dry_run: bool = False
    ) -> Iterator[Job | Problem]:
        return rebuild.rebuild_catalog(storage, dry_run=dry_run)
