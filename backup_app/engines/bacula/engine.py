"""The Bacula engine: each method calls the module that does the work."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from zoneinfo import ZoneInfo

from django.utils import timezone

from ...models import Client, Fileset, Job, Pool, Storage
from ...models.job import JobQuerySet
from ..base import (
    ClientConfig,
    Engine,
    File,
    Outcome,
    Problem,
    Run,
    Selection,
    System,
)
from ..found import Found, FoundJob, FoundLine
from . import names
from .adoption import jobs as adopted_jobs
from .adoption.inventory import Inventory
from .catalog import job_history
from .catalog.records import Catalog
from .clients import commands, databases
from .clients import setup as client_config
from .config import provisioning
from .config import schedules as scheduling
from .director.console import Console
from .director.director import Director
from .extraction import download
from .jobs import backup, restore, verify
from .maintenance import check, removal
from .maintenance import health as faults
from .view import presence, search, selection
from .view.view import View


class BaculaEngine(Engine):
    """Drives a Bacula Director 9.6 by its console, and reads its catalog in PostgreSQL.

    OPTIONS:

    ``address``, ``port``: of the Director's console. ``director``: its name, which clients are
    told. ``console``: the name of a named console, "" for the default one. ``password``: its
    password.
    ``catalog``: the alias in DATABASES of the catalog, best with a role that may only read.
    ``config_dir``: the folder that the Director's configuration includes, for what this service
    adds to it; "" adds nothing. ``director_config``: the Director's own file and
    ``director_program``, which test that.
    ``storages``: a TOML file with a table for each storage daemon that is to be added.
    ``extract_program``, ``storage_config``: bextract and the storage daemon's file, where volumes
    can be read on this host; else downloads are restored to ``spool_client``, the Director's name
    for this host's own file daemon.
    ``database_program``: where clients have the script that dumps and loads their databases.
    ``prefix``: what the names of all that this service adds begin with.
    ``time_zone``: the Director's, in which its catalog has times; "" is the project's own.
    ``answer_seconds``: how long an answer may take; ``away_seconds``: how long a running job waits
    for a Director that is unreachable.
    ``schedules``: whether the Director starts scheduled backups itself, even while this service is
    down; those that it cannot express, or whose zone is not its own, this service starts.
    """

    name = "bacula"
    connections = ("agent",)
    storage_kind = "device"
    age_field = "engine_job_id"
    supports_databases = True
    supports_commands = True
    resumes = True

    def __init__(
        self,
        *,
        address: str = "127.0.0.1",
        port: int = 9101,
        director: str = "bacula-dir",
        console: str = "",
        password: str = "",
        catalog: str = "bacula",
        config_dir: str = "",
        director_config: str = "/etc/bacula/bacula-dir.conf",
        director_program: str = "/usr/sbin/bacula-dir",
        storages: str = "",
        extract_program: str = "/usr/sbin/bextract",
        storage_config: str = "",
        spool_client: str = "",
        database_program: str = "/usr/local/sbin/backup-databases",
        prefix: str = "bk-",
        time_zone: str = "",
        answer_seconds: int = 30,
        away_seconds: int = 900,
        schedules: bool = False,
    ) -> None:
        self.address, self.port, self.director_name = address, port, director
        self.console, self.password = console, password
        self.database = catalog
        self.config_dir = Path(config_dir) if config_dir else None
        self.director_config, self.director_program = director_config, director_program
        self.storages = Path(storages) if storages else None
        self.extract_program, self.storage_config = extract_program, storage_config
        self.spool_client = spool_client
        self.database_program = database_program
        self.prefix = prefix
        self.zone = ZoneInfo(time_zone) if time_zone else timezone.get_default_timezone()
        self.answer_seconds, self.away_seconds = answer_seconds, away_seconds
        self.schedules = schedules

    # --- Doing jobs ------------------------------------------------------------------------------

    def backup(self, run: Run) -> Outcome:
        return backup.back_up(self, run)

    def restore(self, run: Run) -> Outcome:
        return restore.restore(self, run)

    def verify(self, run: Run) -> Outcome:
        return verify.verify(self, run)

    def discard(self, job: Job) -> None:
        removal.discard(self, job)

    def cancel(self, job: Job) -> None:
        removal.cancel(self, job)

    def keep_schedules(self) -> None:
        scheduling.keep(self)

    def starts_scheduled(self, client: Client) -> bool:
        return scheduling.starts(self, client)

    def discard_left(self) -> None:
        removal.discard_recent(self)

    # --- What Bacula had or started without this service -------------------------------------

    def name_of(self, record: Client | Fileset | Pool | Storage) -> str:
        return names.of(self, record)

    def inventory(self, clients: Collection[str] = ()) -> Iterator[Found]:
        return Inventory(self).read(clients)

    def job_history(self, clients: Mapping[str, Client]) -> Iterator[Sequence[FoundJob]]:
        return adopted_jobs.history(self, clients)

    def foreign_jobs(self, clients: Mapping[str, Client], after: int) -> list[int]:
        return adopted_jobs.foreign_jobs(self, clients, after)

    def find_jobs(
        self, clients: Mapping[str, Client], numbers: Iterable[int]
    ) -> Iterator[FoundJob]:
        return adopted_jobs.find_jobs(self, clients, numbers)

    def existing_jobs(self, numbers: Collection[int]) -> set[int]:
        return job_history.those_there(self.reader(), numbers)

    def count_jobs(self) -> list[tuple[str, int]]:
        return job_history.counts(self.reader())

    def job_log(self, job: Job) -> list[FoundLine]:
        return adopted_jobs.log(self, job)

    # --- Downloading a backup's view as a plain tar ----------------------------------------

    def plan_download(self, job: Job, tick: Callable[[], None] = lambda: None) -> tuple[int, bytes]:
        return download.make_tar(self, job, tick)

    def open_download(self, job: Job, plan: bytes) -> download.OpenTar:
        return download.OpenTar(self, job, plan)

    def tidy_downloads(self) -> int:
        return download.tidy(self)

    # --- Reading a backup's view -------------------------------------------------------------

    def view(self, job: Job) -> View:
        return View(self, job)

    def select_paths(self, job: Job, paths: Sequence[bytes]) -> Selection:
        return selection.select_paths(View(self, job), paths)

    def select_ids(self, job: Job, nodes: Sequence[int], files: Sequence[int]) -> Selection:
        return selection.select_ids(View(self, job), nodes, files)

    def files_ending(self, job: Job, endings: Sequence[bytes]) -> Iterator[File]:
        return search.files_ending(self, job, endings)

    def jobs_with_path(self, jobs: JobQuerySet, path: bytes) -> JobQuerySet:
        return presence.jobs_with_path(self, jobs, path)

    def require_destination(self, client: Client, path: bytes) -> None:
        restore.require_destination(client, path)

    # --- Clients -----------------------------------------------------------------------------

    def systems(self) -> Sequence[System]:
        return client_config.SYSTEMS

    def client_config(self, client: Client) -> ClientConfig:
        return client_config.client_config(self, client)

    def run_command(self, client: Client, command: Sequence[str]) -> str:
        return commands.run_command(self, client, command)

    def require_database(self, client: Client, kind: str, name: str) -> None:
        databases.require_database(self, client, kind, name)

    def forget_client(self, client: Client) -> None:
        provisioning.forget_client(self, client)

    # --- Keeping storages in order ---------------------------------------------------------------

    def remove(self, job: Job) -> None:
        removal.remove(self, job)

    def check_storage(self, storage: Storage, *, delete: bool = False) -> Iterator[Problem]:
        return check.check_storage(self, storage, delete=delete)

    # --- The Director and its catalog ----------------------------------------------------------

    def faults(self) -> Iterator[str]:
        return faults.find_faults(self)

    def director(self) -> Director:
        """Return what asks the Director, a context manager that connects when it first does."""
        place = self.address, self.port, self.console, self.password
        return Director(Console(*place, self.answer_seconds), self.reader())

    def reader(self) -> Catalog:
        """Return what reads the Director's catalog."""
        return Catalog(self.database, self.zone, self.answer_seconds)
