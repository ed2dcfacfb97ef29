"""The contract of an engine: what each must do, and what it may leave out.

To write an engine, subclass ``Engine``, implement what raises NotImplementedError, and declare it
in ``BACKUP_ENGINES``. A test class that inherits ``EngineContract`` of
``tests/backup_app/support/contract`` then shows what is missing.

- Engines know jobs, clients and storages, and nothing of requests, users or rights: the caller has
  checked those.
- They raise NotFound and WrongState for wrong arguments, EngineError and EngineUnreachable for
  what they or other machines failed to do, and let Canceled pass.
- They report and the app records: ``jobs.adoption`` makes the rows of what ``adoption`` yields.
- No database transaction is open when a method is called, so each may take long and commit.
- An instance lives for one request or one job. What must outlast it belongs in the job's
  ``engine_job_id`` and ``engine_state``.
"""

from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from django.db.models import Max, QuerySet

from ..exceptions import BackupError, EngineError, NotFound, WrongState
from ..lib.paths import shown
from ..models import Client, Fileset, Job, Storage
from ..models.job import JobQuerySet
from .adoption import AdoptionMixin
from .history import FindingMixin
from .previews import Preview
from .shared.dumps import dump_path
from .values import (
    ClientConfig,
    File,
    Listing,
    Node,
    Outcome,
    Problem,
    Ranges,
    Run,
    Selection,
    StorageIdentity,
    System,
    Tick,
    View,
    no_tick,
)
from .volumes import VolumesMixin


@dataclass
class Engine(AdoptionMixin, FindingMixin, VolumesMixin):
    """Base of all engines. OPTIONS of the settings are keyword arguments of a subclass."""

    name: str = field(init=False, default="")
    alias: str = field(init=False, default="default")  # in BACKUP_ENGINES
    # What its storages are: folders with a path, or devices that it knows by name.
    storage_kind = "folder"
    # The values of Client.Connection that it supports; new clients get the first.
    connections: ClassVar[Sequence[str]] = ("ssh", "local")
    database = "default"  # the alias in DATABASES that it depends on
    # The field of Job that orders backups by age. Jobs that an engine adopts get their IDs later
    # than they ran.
    age_field = "pk"
    # Optional features: where one is False, its methods are never called.
    supports_databases = False
    supports_commands = False
    supports_restore_tests = False
    supports_key_installation = False
    supports_host_keys = False
    supports_limits = False  # priorities and bandwidth limits of clients
    supports_keeping = False  # whether restores can leave what is there, see ``Existing``
    supports_finding = False  # names, versions and differences
    # Whether its jobs continue without a worker. ``backup``, ``restore`` and ``verify`` may then
    # raise Unfinished, or EngineOffline, to be called again a few seconds later by any worker,
    # with what they stored in the job's ``engine_job_id`` and ``engine_state``.
    resumes = False

    # --- Doing jobs; called by the worker --------------------------------------------------

    def backup(self, run: Run) -> Outcome:
        """Back up ``run.job.client`` as ``run.job.fileset`` says, at ``run.job.level``.

        Sets the job's sources. When it raises or its process dies, nothing of the job may be
        readable; ``discard`` is called afterwards.
        """
        raise NotImplementedError

    def restore(self, run: Run) -> Outcome:
        """Restore ``run.job.request`` of the backup ``run.job.parent`` to ``run.job.client``.

        The request is {"nodes": [id], "files": [id], "path": "/"}, where "/" or no path is the
        original location; or {"database": {"database": name, "kind": "mysql"}}, to load a dump.
        """
        raise NotImplementedError

    def verify(self, run: Run) -> Outcome:
        """Read the backup ``run.job.parent`` and compare it with the catalog.

        Raises EngineError if they differ, after an error in the log for each difference.
        """
        raise NotImplementedError

    def test_restore(self, run: Run) -> Outcome:
        """Restore ``run.job.request["sample"]`` files of ``run.job.parent`` to a folder of ours.

        They are compared with the catalog, then removed. Raises EngineError if one differs.
        """
        raise NotImplementedError

    def discard(self, job: Job) -> None:
        """Remove whatever a job that did not succeed has left. May be called again."""

    def ended(self, jobs: Sequence[Job]) -> Collection[int]:
        """Return the IDs of those of jobs, which were left to the engine, that have ended there.

        It is asked several times a second, and must be quick. Without it their worker still learns
        of their end when it polls them.
        """
        return ()

    def cancel(self, job: Job) -> None:
        """Pass a cancel on to where the job runs; engines that ``tick`` need not implement it."""

    def require_expressible(self, fileset: Fileset) -> None:
        """Raise Invalid for what a fileset says and the engine cannot do."""

    # --- Reading a backup; called by requests ----------------------------------------------

    def view(self, job: Job) -> View:
        """Return the content of a good backup; raises WrongState for any other job."""
        raise NotImplementedError

    def list_folder(
        self, job: Job, path: bytes, *, offset: int = 0, limit: int | None = None
    ) -> Listing:
        """Return one page of a folder of a backup; raises NotFound for an unknown path."""
        return self.view(job).listing(path, offset, limit)

    def folder_path(self, job: Job, node_id: int) -> bytes:
        """Return the path of a folder of a backup; raises NotFound."""
        path: bytes = self.view(job).node(node_id).path
        return path

    def subfolders(self, job: Job, node_id: int) -> Sequence[Node]:
        """Return the folders directly in a folder of a backup, by name; raises NotFound."""
        view = self.view(job)
        return view.subfolders(view.node(node_id))

    def select_paths(self, job: Job, paths: Sequence[bytes]) -> Selection:
        """Return the entries at these paths; raises NotFound naming the first that is missing."""
        raise NotImplementedError

    def select_ids(self, job: Job, nodes: Sequence[int], files: Sequence[int]) -> Selection:
        """Return the entries with these IDs; raises NotFound naming the first that is missing."""
        raise NotImplementedError

    def find_dump(self, job: Job, name: str, kind: str = "mysql") -> Selection:
        """Return the dump of a database in a backup, a single file; raises NotFound."""
        try:
            found = self.select_paths(job, [dump_path(kind, name)])
        except NotFound:
            found = Selection()
        if not found.files:
            raise NotFound(f"Backup {job.pk} has no dump of the {kind} database '{name}'.")
        return found

    def files_ending(self, job: Job, endings: Sequence[bytes]) -> Iterator[File]:
        """Yield the files that this job itself stored whose names end so, in upper or lower case.

        What it took over from the backups that it builds on is left out.
        """
        raise NotImplementedError

    def jobs_with_path(self, jobs: JobQuerySet, path: bytes) -> QuerySet[Job]:
        """Return those of one client's jobs that are backups which contain the path."""
        raise NotImplementedError

    def newest_backups(self, client: Client) -> QuerySet[Job]:
        """Return the newest good backup of each fileset of a client, oldest first.

        Backups whose fileset was deleted count as one fileset.
        """
        good = client.jobs.good().backups().filter(engine=self.alias, source_links__isnull=False)
        newest = good.order_by().values("fileset").annotate(newest=Max(self.age_field))
        chosen = {f"{self.age_field}__in": newest.values("newest")}
        found: QuerySet[Job] = good.filter(**chosen).distinct()
        return found.order_by(self.age_field)

    def client_tree(self, client: Client, path: bytes) -> Sequence[Node]:
        """Return the folders in a folder as the client's newest backups have them, by name.

        A folder that several backups have is merged. Raises NotFound for a path in none of them,
        and WrongState if only backups that cannot be read could have it.
        """
        found: dict[bytes, Node] = {}
        refusal: BackupError | None = NotFound(
            f"No backup of client '{client}' has a folder '{shown(path)}'."
        )
        for job in self.newest_backups(client):
            try:
                view = self.view(job)
                nodes = view.subfolders(view.folder(path))
            except NotFound:
                continue
            except WrongState as e:
                refusal = refusal and e
                continue
            refusal = None
            for node in nodes:
                found[node.path] = found.get(node.path, node).merged_with(node)
        if refusal:
            raise refusal
        return sorted(found.values(), key=lambda node: node.name)

    # --- Planning a restore ----------------------------------------------------------------

    def require_destination(self, client: Client, path: bytes) -> None:
        """Raise Invalid or Forbidden for a destination of restores that can be refused at once.

        ``b"/"`` is the original location. An engine that places files on this machine must check
        that they stay below ``conf.local_roots``.
        """

    def preview_restore(
        self, job: Job, tick: Tick = no_tick, *, patience: float | None = None
    ) -> Preview:
        """Return what a restore would do that has not been stored; raises as ``restore`` does.

        It must be made by the steps of the restore itself, whose report must then say the same.
        ``tick`` is to be called often, and may raise to end it. ``patience`` is how many seconds
        the client may take to let us in, by default as many as for a job.
        """
        raise self._cannot("say in advance what a restore does")

    # --- Downloading a backup as a plain tar -----------------------------------------------

    def plan_download(self, job: Job, tick: Tick = no_tick) -> tuple[int, bytes]:
        """Return the size of the tar in bytes, and a plan from which ``open_download`` reads it.

        ``tick`` is to be called every second, and may raise Canceled.
        """
        raise NotImplementedError

    def may_be_slow_to_plan(self, job: Job) -> bool:
        """Return whether a plan should be made by the worker instead of in the request."""
        return True

    def open_download(self, job: Job, plan: bytes) -> AbstractContextManager[Ranges]:
        """Return a reader of any part of the tar, in constant memory."""
        raise NotImplementedError

    def open_selection(
        self, job: Job, selection: Selection
    ) -> tuple[int, AbstractContextManager[Ranges]]:
        """Return the size of a tar of a selection of a backup, and a reader of any part of it."""
        raise self._cannot("send a part of a backup")

    def tidy_downloads(self) -> int:
        """Remove the files of downloads that have expired; return how many.

        Called every few seconds.
        """
        return 0

    # --- Clients ---------------------------------------------------------------------------

    def systems(self) -> Sequence[System]:
        """Return the operating systems that can be backed up."""
        raise NotImplementedError

    def client_config(self, client: Client) -> ClientConfig:
        """Return the configuration that the client needs, ready to paste."""
        raise NotImplementedError

    def install_key(self, client: Client, password: str) -> None:
        """Log in to the client once with the password of its SSH user, and add the server's key."""
        raise NotImplementedError

    def host_keys(self, client: Client) -> list[str]:
        """Return the host keys that the client's SSH server presents now, each as "type key".

        They are unverified: a person must compare them. Raises EngineUnreachable.
        """
        raise NotImplementedError

    def pin_host_keys(self, client: Client, keys: list[str], *, replace: bool = False) -> None:
        """Accept only these host keys of the client from now on.

        Raises WrongState if others are pinned, unless ``replace``.
        """
        raise NotImplementedError

    def require_connection(self, client: Client) -> None:
        """Raise EngineError unless the client answers now and can be backed up.

        EngineUnreachable if it does not answer. Nothing is changed on the client. Called in
        several threads, for a client each.
        """

    def run_command(self, client: Client, command: Sequence[str]) -> str:
        """Return the output of a command line that the operator allowed, run on the client.

        Longer output than BACKUP_COMMAND_MAX_BYTES is cut off (``shared.command_output``). Raises
        EngineError if the command fails or takes longer than BACKUP_COMMAND_SECONDS.
        """
        raise NotImplementedError

    def require_database(self, client: Client, kind: str, name: str) -> None:
        """Raise WrongState unless the client's database server has this database."""
        raise NotImplementedError

    def add_clients(self) -> None:
        """Tell the engine of all clients at once, after many were created."""

    def forget_client(self, client: Client) -> None:
        """Remove the configuration of a client that is being purged, after its jobs."""

    def discard_left(self) -> None:
        """Retry what ``discard`` could not remove while the engine was unreachable.

        Called every few seconds.
        """

    # --- Schedules and health --------------------------------------------------------------

    def keep_schedules(self) -> None:
        """Pass the clients' schedules on, where the engine starts scheduled backups itself.

        Called every few seconds, so it looks at changes only.
        """

    def starts_scheduled(self, client: Client) -> bool:
        """Return whether the engine itself starts a client's scheduled backups, to be adopted."""
        return False

    def faults(self) -> Iterator[str]:
        """Yield a sentence for each thing that keeps the engine from working; for system checks.

        They are reported where ``database`` is checked.
        """
        return iter(())

    def own_faults(self) -> Iterator[str]:
        """Yield those of ``faults`` that are not of a storage, which ``storage_fault`` tells."""
        return self.faults()

    def worker_faults(self) -> Iterator[str]:
        """Yield a sentence for each thing that keeps a worker on this machine from doing jobs.

        Called every few seconds by each worker, so it contacts no other machine.
        """
        return iter(())

    # --- Maintaining storages; called by commands ------------------------------------------

    def label_storage(self, storage: Storage, *, force: bool = False) -> None:
        """Mark a new storage, so that no other folder or device is taken for it.

        Raises EngineError where it is missing, has another storage's label or, without ``force``,
        lacks what the catalog says that it holds.
        """

    def storage_fault(self, storage: Storage) -> str:
        """Return a sentence on why a storage cannot be used; "" if it can, or nobody knows."""
        return ""

    def remove(self, job: Job) -> None:
        """Delete a backup: first its row and catalog in one transaction, then its data.

        In this order a crash leaves data without a row, which ``check_storage`` finds, and never a
        row whose data is gone. ``shared.removal`` does the first part.
        """
        raise NotImplementedError

    def finish_removals(self, storage: Storage) -> None:
        """Delete the data of backups whose removal was interrupted; raises EngineError."""

    def forget(self, job: Job) -> None:
        """Delete the files that a job other than a backup kept; its row is deleted next."""

    def check_storage(self, storage: Storage, *, delete: bool = False) -> Iterator[Problem]:
        """Yield what differs between a storage and the catalog; with ``delete`` remove orphans."""
        return iter(())

    def identify(self, folder: Path) -> StorageIdentity:
        """Return which storage a folder is, which the database need not know.

        Raises EngineError if it is none, or if storages are no folders.
        """
        raise EngineError(f"The engine '{self.alias}' keeps no backups in folders.")

    def rebuild_catalog(
        self, storage: Storage, *, dry_run: bool = False, heir: Any = None
    ) -> Iterator[Job | Problem]:
        """Yield each job that was restored to the catalog from the data of a storage.

        And a Problem for each that could not be. What belongs to accounts that do not exist goes
        to the account ``heir``, or without one to new accounts. With ``dry_run`` nothing is stored.
        """
        return iter(())
