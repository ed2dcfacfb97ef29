"""The app's settings: ``BACKUP_<NAME>`` in the project, with these defaults."""

from pathlib import Path
from typing import Any

from django.conf import settings

DEFAULTS: dict[str, Any] = {
    "ROOT": "backups",  # the folder of volumes, keys and work in progress; "" is not allowed
    # Lists have a comma and a blank between their members, or are lists.
    "LOCAL_ROOTS": "",  # folders of this machine that its own clients may back up and restore
    "COMMANDS": "uptime, df -h, df -P, free -m, uname -a, hostname",  # what operation 8 may run
    "COMMAND_SECONDS": 30,
    "COMMAND_MAX_BYTES": 1_000_000,
    "INSTALL_KEYS": False,  # whether genconfig uses a root password to install our public key
    "CREDENTIALS_DIR": "credentials",  # option files for database servers, by client
    "MAILBOX_PATTERNS": (
        r"(?P<mailbox>[^/\s]+@[^/\s]+)\.pst$, (?P<mailbox>[^/\s]+@[^/\s]+)/[^/]+\.edb$"
    ),
    "MAX_BODY_BYTES": 10_000_000,
    "MAX_PATHS": 10_000,  # files and nodes in one restore
    "PAGE_SIZE": 50,
    "MAX_PAGE_SIZE": 500,
    "CHUNK_BYTES": 8 * 1024 * 1024,  # of a download
    "LOGIN_FAILURES": 10,  # wrong credentials a minute, for one login from one address
    # The queue of the tasks that do jobs, which take hours; TASKS must know it. With one of its own
    # and workers for it alone, nothing else waits for them.
    "QUEUE": "default",
    # Whether workers of django-tasks-db recover from dead ones and start what is due, from their
    # first task on; else the project's own worker command or ``backup_upkeep`` does.
    "UPKEEP_IN_WORKERS": True,
    "JOB_LOST_SECONDS": 300,  # without a sign of life a running job, or a worker, counts as dead
    "PURGE_DAYS": 30,  # how long the backups of a deleted client stay
    "OVERDUE_HOURS": 26,  # how old a client's last good backup may be unless its schedule says more
    "CLIENT_ADDRESS": "",  # dotted path of a function(request) -> address; "" = REMOTE_ADDR
    "SSH_CONNECT_SECONDS": 15,
}
ENGINES = {"default": {"BACKEND": "backup_app.engines.archive.ArchiveEngine", "OPTIONS": {}}}


class Conf:
    """Reads each setting when it is asked for, so that ``override_settings`` works."""

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
        """How many bytes and fields Django takes in a form of several parts; None is any."""
        return settings.DATA_UPLOAD_MAX_MEMORY_SIZE, settings.DATA_UPLOAD_MAX_NUMBER_FIELDS

    @property
    def uses_aware_times(self) -> bool:
        return settings.USE_TZ

    @property
    def user_model(self) -> str:
        return settings.AUTH_USER_MODEL

    def _members(self, name: str, separator: str = ", ") -> list[str]:
        # Commas stand within regular expressions and commands as well.
        value = getattr(self, name)
        members = value.split(separator) if isinstance(value, str) else value
        return [member.strip() for member in members if member.strip()]

    @staticmethod
    def _below_data(path: str) -> Path:
        """Return a path that is relative to ``DATA_DIR``, or to ``BASE_DIR`` without one."""
        base = getattr(settings, "DATA_DIR", None) or getattr(settings, "BASE_DIR", Path.cwd())
        return Path(base) / path


conf = Conf()
