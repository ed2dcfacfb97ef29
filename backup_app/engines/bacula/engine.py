"""The Bacula engine: each method calls the module that does the work."""

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from zoneinfo import ZoneInfo

from django.utils import timezone

from ...models import Client, Job
from ..adoption import Found, PlannedRuns
from ..base import Engine
from ..values import Selection, System
from . import names
from .adoption import jobs as adopted_jobs
from .adoption.inventory import Inventory
from .catalog import job_history
from .catalog.records import Catalog
from .clients import commands, connection, databases, setup
from .config import fileset_resource, provisioning
from .config import schedules as scheduling
from .director import follow, planned, submit
from .director.console import Console
from .director.director import Director
from .director.tls import Tls
from .extraction import download
from .jobs import backup as backups
from .jobs import preview as plans
from .jobs import restore as restores
from .jobs import restore_test
from .jobs import verify as verifications
from .maintenance import check, health, removal, volume_list
from .view import differences, history, name_search, presence, selection, view
from .view.view import View


class BaculaEngine(Engine):
    """Drives a Bacula Director by its console, and reads its catalog in PostgreSQL.

    OPTIONS:

    ``address``, ``port``: of the Director's console. ``director``: its name, which clients are
    told. ``console``: the name of a named console, "" for the default one. ``password``: its
    password.
    ``tls``: "required" refuses a Director that offers no TLS, "optional" accepts that of any host,
    "" only of this one; ``tls_ca``, ``tls_certificate``, ``tls_key``, ``tls_name``: see ``Tls``.
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
    supports_limits = True
    supports_keeping = True
    supports_finding = True
    supports_restore_tests = True
    supports_volumes = True
    resumes = True

    def __init__(
        self,
        *,
        address: str = "127.0.0.1",
        port: int = 9101,
        director: str = "bacula-dir",
        console: str = "",
        password: str = "",
        tls: str = "",
        tls_ca: str = "",
        tls_certificate: str = "",
        tls_key: str = "",
        tls_name: str = "",
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
        self.tls = Tls(tls, tls_ca, tls_certificate, tls_key, tls_name)
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

    # --- Methods of other modules, whose functions take the engine first -----------------------

    backup = backups.back_up
    restore = restores.restore
    verify = verifications.verify
    test_restore = restore_test.test_restore
    discard = removal.discard
    discard_left = removal.discard_recent
    cancel = submit.cancel
    require_expressible = fileset_resource.require_expressible
    ended = follow.ended
    remove = removal.remove
    keep_schedules = scheduling.keep
    starts_scheduled = scheduling.starts
    name_of = names.of
    job_history = adopted_jobs.history
    foreign_jobs = adopted_jobs.foreign_jobs
    find_jobs = adopted_jobs.find_jobs
    job_log = adopted_jobs.log
    plan_download = download.make_tar
    tidy_downloads = download.tidy
    files_ending = view.files_ending
    jobs_with_path = presence.jobs_with_path
    search_names = name_search.search_names
    history = history.history
    differences = differences.differences
    require_destination = staticmethod(restores.require_destination)
    preview_restore = plans.preview
    client_config = setup.client_config
    require_connection = connection.require_connection
    run_command = commands.run_command
    require_database = databases.require_database
    add_clients = provisioning.prepare_all
    forget_client = provisioning.forget_client
    check_storage = check.check_storage
    list_volumes = volume_list.page
    free_space = volume_list.free_space
    disk_usage = volume_list.disk_usage
    faults = health.find_faults

    # --- What Bacula had or started without this service -------------------------------------

    def inventory(self, clients: Collection[str] = ()) -> Iterator[Found]:
        return Inventory(self).read(clients)

    def planned_runs(self, client: Client) -> PlannedRuns:
        with self.director() as director:
            return planned.planned_runs(director, names.of(self, client))

    def existing_jobs(self, numbers: Collection[int]) -> set[int]:
        return job_history.existing(self.reader(), numbers)

    def count_jobs(self) -> list[tuple[str, int]]:
        return job_history.counts(self.reader())

    # --- Reading a backup's view -------------------------------------------------------------

    def open_download(self, job: Job, plan: bytes) -> download.OpenTar:
        return download.open_tar(self, job, plan)

    def open_selection(self, job: Job, selection: Selection) -> tuple[int, download.OpenTar]:
        return download.make_part(self, job, selection)

    def view(self, job: Job) -> View:
        return View(self, job)

    def select_paths(self, job: Job, paths: Sequence[bytes]) -> Selection:
        return selection.select_paths(View(self, job), paths)

    def select_ids(self, job: Job, nodes: Sequence[int], files: Sequence[int]) -> Selection:
        return selection.select_ids(View(self, job), nodes, files)

    # --- Clients, the Director and its catalog -------------------------------------------------

    def systems(self) -> Sequence[System]:
        return setup.SYSTEMS

    def director(self) -> Director:
        """Return a Director, a context manager that connects at the first command."""
        place = self.address, self.port, self.console, self.password
        return Director(Console(*place, self.answer_seconds, self.tls), self.reader())

    def reader(self) -> Catalog:
        """Return a reader of the Director's catalog."""
        return Catalog(self.database, self.zone, self.answer_seconds)
