"""The machines that are backed up."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from ..conf import conf
from .adoptable import Adoptable
from .fileset import Fileset
from .pool import Pool
from .storage import Zone

# That of all jobs without one. A smaller number would make other clients' restores wait.
DEFAULT_PRIORITY = 10


class ClientQuerySet(models.QuerySet["Client"]):
    def present(self) -> "ClientQuerySet":
        """Return clients that have not been deleted."""
        return self.filter(deleted=None)


class Client(Adoptable):
    class System(models.TextChoices):
        UNIX = "unix"
        WINDOWS = "windows"

    class Connection(models.TextChoices):
        SSH = "ssh", "over SSH"
        LOCAL = "local", "this machine"
        AGENT = "agent", "through an agent"

    account = models.ForeignKey(conf.user_model, models.CASCADE, related_name="backup_clients")
    name = models.CharField(max_length=100)
    ip = models.GenericIPAddressField("IP address", unpack_ipv4=True)
    internal_ip = models.GenericIPAddressField(
        "internal IP address", unpack_ipv4=True, null=True, blank=True
    )
    system = models.CharField(max_length=10, choices=System, default=System.UNIX)
    zone = models.ForeignKey(Zone, models.PROTECT, related_name="clients")
    pool = models.ForeignKey(Pool, models.PROTECT, related_name="clients")
    fileset = models.ForeignKey(Fileset, models.PROTECT, related_name="clients")
    schedule = models.CharField(
        max_length=100, blank=True, help_text="Cron expression, such as 30 2 * * *."
    )
    scheduled = models.DateTimeField(
        null=True,
        blank=True,
        editable=False,
        help_text="Scheduled backups up to this time have been started.",
    )
    # Only staff set it, in the admin: backups of "this machine" read the server's own files.
    connection = models.CharField(max_length=10, choices=Connection, default=Connection.SSH)
    ssh_user = models.CharField("SSH user", max_length=64, default="root")
    ssh_port = models.PositiveIntegerField(
        "SSH port", default=22, validators=[MinValueValidator(1), MaxValueValidator(65535)]
    )
    agent_port = models.PositiveIntegerField(
        default=9102,
        validators=[MinValueValidator(1), MaxValueValidator(65535)],
        help_text="Port on which the engine's agent listens.",
    )
    priority = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        validators=[
            MinValueValidator(DEFAULT_PRIORITY, "%(show_value)s is less than 10."),
            MaxValueValidator(100, "%(show_value)s is more than 100."),
        ],
        help_text="Backups wait until all with a smaller number have ended; empty for 10.",
    )
    bandwidth_limit = models.PositiveBigIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1000, "%(show_value)s bytes per second is less than 1 kB.")],
        help_text="Bytes per second that its backups may send; empty for no limit.",
    )
    host_key = models.TextField(
        blank=True, help_text="Pinned public keys of its SSH server, one per line: type and key."
    )
    created = models.DateTimeField(auto_now_add=True)
    deleted = models.DateTimeField(null=True, blank=True, editable=False, db_index=True)

    engine_fields = ("name", "ip", "internal_ip", "system", "zone", "connection", "agent_port")
    objects = ClientQuerySet.as_manager()

    class Meta:
        ordering = ["name", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["account", "name"], condition=Q(deleted=None), name="client_name_of_account"
            ),
            models.UniqueConstraint(
                fields=["account", "ip"], condition=Q(deleted=None), name="client_ip_of_account"
            ),
        ]

    def __str__(self):
        return self.name

    @property
    def effective_schedule(self) -> str:
        """The client's own schedule, or else its fileset's; "" when it has none."""
        return self.schedule or self.fileset.schedule
