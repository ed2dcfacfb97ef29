"""The contract of an engine: what every one must do, and what it may leave out.

Engines know jobs and clients, and no requests. They raise ``NotFound`` and ``WrongState`` for what
a caller asked wrongly, ``EngineError`` and ``EngineUnreachable`` for what they or their machines
could not do, and let ``Canceled`` pass. No database transaction is open while they work.
``tests/backup_app/support/contract`` is the test that every engine passes.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from ..models import Client, Fileset, Pool, Storage
from .found import Found, FoundJob, FoundLine


@dataclass(frozen=True)
class Node:
    """A folder in a view. ``files`` and ``size`` count what lies directly in it."""

    node_id: int
    name: bytes
    path: bytes
    size: int
    files: int
    mtime: int  # seconds since 1970
    has_children: bool  # whether there are folders in it


@dataclass(frozen=True)
class File:
    """Something in a folder of a view; a folder has a ``node_id`` of its own."""

    file_id: int
    node_id: int | None
    parent_node_id: int
    name: bytes
    path: bytes
    type: str  # file, directory, symlink, hardlink, fifo, device
    size: int
    mtime: int
    mode: int
    owner: str
    group: str
    target: bytes
    sha256: bytes | None


@dataclass(frozen=True)
class Listing:
    """One level of a folder: a page of its content, folders first, then by name."""

    node_id: int
    path: bytes
    files: Sequence[File]
    total: int


@dataclass(frozen=True)
class Selection:
    """What is to be restored: whole folders and single files of a backup's view.

    Each is (id, path). IDs are those of ``Node`` and ``File``.
    """

    nodes: Sequence[tuple[int, bytes]] = ()
    files: Sequence[tuple[int, bytes]] = ()


@dataclass
class Outcome:
    """What a finished run of a job counted. ``warnings`` > 0 makes it end as "warnings"."""

    files: int = 0
    bytes: int = 0
    stored_bytes: int = 0
    warnings: int = 0
    message: str = ""


@dataclass(frozen=True)
class System:
    """A kind of machine that an engine can back up."""

    system: str  # unix or windows
    name: str
    notes: str = ""


@dataclass(frozen=True)
class ClientConfig:
    """What must be on a client, ready to paste."""

    file_name: str
    config: str


@dataclass(frozen=True)
class Problem:
    """Something that ``check_storage`` or ``verify`` found; ``path`` names the place."""

    path: str
    message: str
    job_id: int | None = None


class Run(Protocol):
    """A job at work, as an engine sees it. ``running.py`` has the real one."""

    job: Any

    def info(self, message: str) -> None:
        """Write a line of the job's log."""

    def warning(self, message: str) -> None:
        """Write a line of the job's log that makes it end as "warnings"."""

    def error(self, message: str) -> None:
        """As ``warning``, for what is lost."""

    def expect(self, size: int) -> None:
        """Say how many bytes there are to do."""

    def tick(self, files: int | None = None, size: int | None = None) -> None:
        """Give a sign of life and, if given, say how much is done; to be called every few seconds.

        Raises Canceled when the job is to end. Cheap: writes at most once a second.
        """

    def adopt(self, numbers: Sequence[int]) -> None:
        """Record jobs of the engine that others started and that this one builds on."""


@dataclass
class Engine:
    """Base of all engines. OPTIONS of the settings are keyword arguments of a subclass."""

    name: str = field(init=False, default="")
    alias: str = field(init=False, default="default")  # in BACKUP_ENGINES
    # What its storages are: folders with a path, or devices that it knows by their name.
    storage_kind = "folder"
    # How it reaches machines, of Client.Connection; a new client's is the first.
    connections: ClassVar[Sequence[str]] = ("ssh", "local")
    database = "default"  # the alias of that which it depends on
    supports_databases = False
    supports_commands = False
    supports_key_installation = False
    # Whether its jobs go on while no worker looks after them. ``backup``, ``restore`` and
    # ``verify`` may then raise Unfinished, or Away, to be called again a few seconds later, by any
    # worker, with what they left in the job's ``engine_job_id`` and ``engine_state``.
    resumes = False

    # --- Doing jobs; called by the worker --------------------------------------------------

    def backup(self, run: Run) -> Outcome:
        """Back up ``run.job.client`` as ``run.job.fileset`` says, at ``run.job.level``.

        Sets the job's sources. When it raises or its process dies, nothing of the job may be
        readable; ``discard`` is called afterwards.
        """
        raise NotImplementedError

    def restore(self, run: Run) -> Outcome:
        """Restore ``run.job.request`` = {"nodes": [id], "files": [id], "path": "/"} to its client.

        Or, if the request has "database", {"database": name, "kind": "mysql"}: load its dump. The
        backup is ``run.job.parent``. Without its path, ``"/"``, to the original location.
        """
        raise NotImplementedError

    def verify(self, run: Run) -> Outcome:
        """Read the backup ``run.job.parent`` again, comparing all of it with the catalog."""
        raise NotImplementedError

    def discard(self, job) -> None:
        """Remove whatever a job that did not succeed has left. May be called again."""

    def cancel(self, job) -> None:
        """Pass a cancel on to where the job runs; engines that ``tick`` need nothing."""

    # --- Reading a backup's view; called by requests ---------------------------------------

    def list_folder(
        self, job, path: bytes, *, offset: int = 0, limit: int | None = None
    ) -> Listing:
        """Return one level of the view of ``job``; raises NotFound for an unknown path."""
        raise NotImplementedError

    def folder_path(self, job, node_id: int) -> bytes:
        """Return the path of a folder in the view of ``job``; raises NotFound."""
        raise NotImplementedError

    def subfolders(self, job, node_id: int) -> Sequence[Node]:
        """Return the folders directly in a folder of the view, by name; raises NotFound."""
        raise NotImplementedError

    def select_paths(self, job, paths: Sequence[bytes]) -> Selection:
        """Return what has these paths in the view; raises NotFound naming one that has not."""
        raise NotImplementedError

    def select_ids(self, job, nodes: Sequence[int], files: Sequence[int]) -> Selection:
        """Return what has these IDs in the view; raises NotFound naming the first that has not."""
        raise NotImplementedError

    def files_ending(self, job, endings: Sequence[bytes]) -> Iterator[File]:
        """Yield the files that a job itself stored whose names end so, in whatever case."""
        raise NotImplementedError

    def jobs_with_path(self, jobs, path: bytes):
        """Return those of the queryset ``jobs`` of one client whose view contains the path."""
        raise NotImplementedError

    def client_tree(self, client, path: bytes) -> Sequence[Node]:
        """Return the folders below a path as the client's newest good backups hold them.

        Of each fileset the newest good backup counts. Raises NotFound for a path in none.
        """
        raise NotImplementedError

    def require_destination(self, client, path: bytes) -> None:
        """Raise Invalid or Forbidden for where a restore must not go, as far as is known at once.

        ``b"/"`` is the original location.
        """

    # --- Downloading a backup's view as a plain tar ----------------------------------------

    def plan_download(self, job, tick=lambda: None) -> tuple[int, bytes]:
        """Return the size of the view's tar, and a plan that ``open_download`` reads it by."""
        raise NotImplementedError

    def may_be_slow_to_plan(self, job) -> bool:
        """Say whether a plan should be made by the worker instead of in the request."""
        return True

    def open_download(self, job, plan: bytes) -> AbstractContextManager["Ranges"]:
        """Return what reads any part of the tar in constant memory."""
        raise NotImplementedError

    def tidy_downloads(self) -> int:
        """Remove what was made for downloads that nobody wants any more; return how many.

        Called every few seconds.
        """
        return 0

    # --- Clients ---------------------------------------------------------------------------

    def systems(self) -> Sequence[System]:
        """Return the kinds of machines that can be backed up."""
        raise NotImplementedError

    def client_config(self, client) -> ClientConfig:
        """Return what must be on the client."""
        raise NotImplementedError

    def install_key(self, client, password: str) -> None:
        """Log in to the client as root with a password, once, and make it ready."""
        raise NotImplementedError

    def run_command(self, client, command: Sequence[str]) -> str:
        """Return what a command line that the operator allowed prints on the client."""
        raise NotImplementedError

    def require_database(self, client, kind: str, name: str) -> None:
        """Raise WrongState unless the client's database server has this database."""
        raise NotImplementedError

    def find_dump(self, job, name: str, kind: str = "mysql") -> None:
        """Raise NotFound unless the view of ``job`` has a dump of this database."""
        raise NotImplementedError

    def forget_client(self, client) -> None:
        """Remove what is set up for a client that is being purged; its jobs are gone by then."""

    # --- Working together with what else uses the engine ------------------------------------

    def keep_schedules(self) -> None:
        """Learn the schedules of clients, where the engine starts their backups itself.

        Called every few seconds, so it looks at what is new only.
        """

    def starts_scheduled(self, client) -> bool:
        """Say whether the engine itself starts a client's scheduled backups, for it to adopt."""
        return False

    def name_of(self, record: Client | Fileset | Pool | Storage) -> str:
        """Return what the engine calls a record."""
        return record.engine_name or record.name

    def inventory(self, clients: Collection[str] = ()) -> Iterator[Found]:
        """Yield what the engine had before this service, for ``jobs.adoption`` to record.

        ``clients`` are names in the engine; none are all. What others refer to comes first.
        """
        return iter(())

    def job_history(self, clients: Mapping[str, Client]) -> Iterator[Sequence[FoundJob]]:
        """Yield all jobs of clients, given by ``name_of``, in batches by ascending number."""
        return iter(())

    def foreign_jobs(self, clients: Mapping[str, Client], after: int) -> list[int]:
        """Return the numbers above one of jobs of these clients that others started.

        Called every few seconds, so it need not look at more than the newest.
        """
        return []

    def find_jobs(
        self, clients: Mapping[str, Client], numbers: Iterable[int]
    ) -> Iterator[FoundJob]:
        """Yield those of some jobs that are of these clients and can be adopted, oldest first."""
        return iter(())

    def existing_jobs(self, numbers: Collection[int]) -> set[int]:
        """Return those of these numbers whose jobs the engine still has."""
        return set(numbers)

    def count_jobs(self) -> Sequence[tuple[str, int]]:
        """Return how many jobs each client has, by the engine's names."""
        return []

    def job_log(self, job) -> Sequence[FoundLine]:
        """Return the log of a job that ended before it was known here; raises EngineError."""
        return []

    def discard_left(self) -> None:
        """Remove what ``discard`` had to leave while the engine was unreachable.

        Called every few seconds.
        """

    def faults(self) -> Iterator[str]:
        """Yield in a sentence each thing that keeps the engine from working; for system checks.

        They are told where ``database`` is checked.
        """
        return iter(())

    def worker_faults(self) -> Iterator[str]:
        """Yield in a sentence each thing that keeps a worker on this machine from doing jobs.

        Called every few seconds by each worker, so it asks no other machine.
        """
        return iter(())

    # --- Keeping storages in order; called by commands -------------------------------------

    def label_storage(self, storage, *, force: bool = False) -> None:
        """Leave in a new storage what tells it from an empty folder or another one's place.

        Raises EngineError where it is missing, is another one's or, unless with ``force``, lacks
        what the catalog says that it holds.
        """

    def storage_fault(self, storage) -> str:
        """Return in a sentence why a storage cannot be used, "" if it can or nobody knows."""
        return ""

    def remove(self, job) -> None:
        """Delete a backup: first its row and catalog, in one transaction, then what it stored."""
        raise NotImplementedError

    def finish_removals(self, storage) -> None:
        """Delete what is left of backups whose removal was killed; raises EngineError."""

    def forget(self, job) -> None:
        """Remove what another job than a backup has kept for people; its row is deleted next."""

    def check_storage(self, storage, *, delete: bool = False) -> Iterator[Problem]:
        """Yield what does not fit together in a storage; with ``delete`` remove orphans."""
        return iter(())

    def rebuild_catalog(self, storage, *, dry_run: bool = False) -> Iterator[Any]:
        """Yield each job that was brought back from what a storage holds.

        And a Problem for each that could not be.
        """
        return iter(())

    def disk_usage(self, storage) -> tuple[int, int] | None:
        """Return (capacity, free) of a storage in bytes, None where that is unknown."""
        return None


class Ranges(Protocol):
    """An open download."""

    def read(self, offset: int, length: int) -> Iterator[bytes]:
        """Yield the bytes of a range in blocks; raises EngineError if the volume is damaged."""


__all__ = [
    "ClientConfig",
    "Engine",
    "File",
    "Listing",
    "Node",
    "Outcome",
    "Problem",
    "Ranges",
    "Run",
    "Selection",
    "System",
]
