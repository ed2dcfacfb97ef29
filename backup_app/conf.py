"""The app's settings: ``BACKUP_<NAME>`` in the project, with these defaults."""

from pathlib import Path
from typing import Any

from django.conf import settings

DEFAULTS: dict[str, Any] = {
    "ROOT": "backups",  # folder of volumes, keys and work in progress; must not be ""
    # Lists are texts separated by a comma and a space, or Python lists.
    "LOCAL_ROOTS": "",  # folders of this machine that may be backed up and restored to
    "COMMANDS": "uptime, df -h, df -P, free -m, uname -a, hostname",  # that ``run`` accepts
    "COMMAND_SECONDS": 30,  # limit for one command
    "COMMAND_MAX_BYTES": 1_000_000,  # of its output
    "INSTALL_KEYS": False,  # whether genconfig may log in with a root password to install our key
    "CREDENTIALS_DIR": "credentials",  # option files for database servers, by client
    "MAILBOX_PATTERNS": (
        r"(?P<mailbox>[^/\s]+@[^/\s]+)\.pst$, (?P<mailbox>[^/\s]+@[^/\s]+)/[^/]+\.edb$"
    ),
    "MAX_BODY_BYTES": 10_000_000,
    "MAX_PATHS": 10_000,  # files and nodes in one restore
    "PAGE_SIZE": 50,  # records of a list
    "MAX_PAGE_SIZE": 500,
    "CHUNK_BYTES": 8 * 1024 * 1024,  # in which downloads are fetched
    "LOGIN_FAILURES": 10,  # wrong credentials a minute, for one login from one address
    # Queue of the tasks that run jobs; TASKS must declare it. Jobs take hours: with a queue and
    # workers of their own they do not hold up other tasks.
    "QUEUE": "default",
    # Whether workers of django-tasks-db end the jobs of dead workers and start due backups, from
    # their first task on; otherwise the project's worker command or ``backup_upkeep`` must.
    "UPKEEP_IN_WORKERS": True,
    "JOB_LOST_SECONDS": 300,  # without a heartbeat, after which a job or worker counts as dead
    "PURGE_DAYS": 30,  # that the backups of a deleted client are kept
    "OVERDUE_HOURS": 26,  # age of a last good backup, unless the schedule allows more
    "CLIENT_ADDRESS": "",  # dotted path of a function(request) -> address; "" = REMOTE_ADDR
    "SSH_CONNECT_SECONDS": 15,
    "METRICS_TOKEN": "",  # that Prometheus sends; "" lets only this machine itself read /metrics
}
ENGINES = {"default": {"BACKEND": "backup_app.engines.archive.ArchiveEngine", "OPTIONS": {}}}


class Conf:
    """Reads settings on each access, so that ``override_settings`` works."""

    def __getattr__(self, name: str) -> Any:
        try:
            default = DEFAULTS[name]
        except KeyError as e:
            raise AttributeError(f"The backup service has no setting BACKUP_{name}.") from e
        return getattr(settings, f"BACKUP_{name}", default)

    @property
    def engines(self) -> dict[str, dict[str, Any]]:
        """``BACKUP_ENGINES``: alias -> {"BACKEND": dotted path, "OPTIONS": {...}}."""
        return getattr(settings, "BACKUP_ENGINES", ENGINES)

    @property
    def root(self) -> Path:
        return self._below_data(self.ROOT)

    @property
    def credentials_dir(self) -> Path:
        return self._below_data(self.CREDENTIALS_DIR)

    @property
    def local_roots(self) -> list[Path]:
        return [Path(root) for root in self._members("LOCAL_ROOTS", ",")]

    @property
    def commands(self) -> list[list[str]]:
        """The allowed command lines, each split into words."""
        return [line.split() for line in self._members("COMMANDS")]

    @property
    def mailbox_patterns(self) -> list[str]:
        return self._members("MAILBOX_PATTERNS")

    @property
    def upload_limits(self) -> tuple[int | None, int | None]:
        """How many bytes and fields Django accepts in a multipart form; None is no limit."""
        return settings.DATA_UPLOAD_MAX_MEMORY_SIZE, settings.DATA_UPLOAD_MAX_NUMBER_FIELDS

    @property
    def uses_aware_times(self) -> bool:
        return settings.USE_TZ

    @property
    def is_behind_proxy(self) -> bool:
        """Whether the project says that a proxy forwards requests to it."""
        return bool(
            settings.SECURE_PROXY_SSL_HEADER
            or settings.USE_X_FORWARDED_HOST
            or settings.USE_X_FORWARDED_PORT
        )

    @property
    def user_model(self) -> str:
        return settings.AUTH_USER_MODEL

    def _members(self, name: str, separator: str = ", ") -> list[str]:
        # A comma alone may be part of a regular expression or a command.
        value = getattr(self, name)
        members = value.split(separator) if isinstance(value, str) else value
        return [member.strip() for member in members if member.strip()]

    @staticmethod
    def _below_data(path: str) -> Path:
        """Return a path that is relative to ``DATA_DIR``, or to ``BASE_DIR`` without one."""
        base = getattr(settings, "DATA_DIR", None) or getattr(settings, "BASE_DIR", Path.cwd())
        return Path(base) / path


conf = Conf()
