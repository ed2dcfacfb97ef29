"""The app's settings: ``BACKUP_<NAME>`` in the project, with these defaults."""

from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any

from django.conf import settings

# A comment is the setting's description in docs/settings.md. Lists may be Python lists too.
DEFAULTS: dict[str, Any] = {
    # folder of volumes, the server's SSH key and work in progress; in `DATA_DIR` unless absolute
    "ROOT": "backups",
    # folders of this machine that may be backed up and restored to, comma-separated; outside
    # production the demo's folder
    "LOCAL_ROOTS": "",
    # the exact command lines that `run` accepts, separated by a comma and a space
    "COMMANDS": "uptime, df -h, df -P, free -m, uname -a, hostname",
    "COMMAND_SECONDS": 30,  # how long one of them may take
    "COMMAND_MAX_BYTES": 1_000_000,  # how much it may print
    # let `genconfig` log in once with a root password and install the server's key
    "INSTALL_KEYS": False,
    # folder of option files for database servers, by client; in `DATA_DIR` unless absolute
    "CREDENTIALS_DIR": "credentials",
    # regular expressions with a group `mailbox`, separated by a comma and a space
    "MAILBOX_PATTERNS": (
        r"(?P<mailbox>[^/\s]+@[^/\s]+)\.pst$, (?P<mailbox>[^/\s]+@[^/\s]+)/[^/]+\.edb$"
    ),
    "MAX_BODY_BYTES": 10_000_000,  # size of a request
    "MAX_PATHS": 10_000,  # files and folders in one restore
    "PAGE_SIZE": 50,  # records of a list
    "MAX_PAGE_SIZE": 500,  # largest page that may be asked for
    "CHUNK_BYTES": 8 * 1024 * 1024,  # size of a download's chunk
    # wrong logins for one login from one address, each minute at the backup API and each five
    # elsewhere; three times as many from one address, or for one login
    "LOGIN_FAILURES": 10,
    # queue of the tasks that run jobs, which `TASKS` must declare: jobs take hours, and with a
    # queue and workers of their own they do not hold up other tasks; this project's is `backups`
    "QUEUE": "default",
    # whether workers of django-tasks-db end the jobs of dead workers and start due backups, from
    # their first task on; otherwise, as in this project, the worker command or `backup_upkeep` does
    "UPKEEP_IN_WORKERS": True,
    "JOB_LOST_SECONDS": 300,  # without a heartbeat, after which a job or worker counts as dead
    "PURGE_DAYS": 30,  # how long the backups of a deleted client are kept
    # age of the last good backup after which a client is overdue, unless its schedule allows more
    "OVERDUE_HOURS": 26,
    # dotted path of a function that returns the address of a request's sender, by default
    # REMOTE_ADDR; this project has its own
    "CLIENT_ADDRESS": "",
    "SSH_CONNECT_SECONDS": 15,  # how long a client may take to answer
    # networks that are not public and may get alerts by webhook, such as `10.0.0.0/8, ::1`
    "WEBHOOK_NETWORKS": "",
    "STORAGE_LOW_PERCENT": 10,  # how much of a storage's space is left when alerts call it low
    # where the site is that has the admin, for links in alerts, such as `https://backup.example.org`
    "SITE_URL": "",
    "OPERATOR_GROUP": "Backup operators",  # name of the group that `migrate` creates for operators
    "AUDITOR_GROUP": "Backup auditors",  # the same for auditors, who may only look
    # bearer token that `/metrics` requires, 20 characters or more; without one only this machine
    # itself may read it, and with `BEHIND_PROXY` nobody
    "METRICS_TOKEN": "",
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
    def group_names(self) -> dict[str, str]:
        """The name of the group that is made for each role."""
        return {"Operator": self.OPERATOR_GROUP, "Auditor": self.AUDITOR_GROUP}

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
    def webhook_networks(self) -> list[IPv4Network | IPv6Network]:
        """Networks that are not public and that alerts may be sent to; raises ValueError."""
        return [ip_network(network) for network in self._members("WEBHOOK_NETWORKS", ",")]

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
