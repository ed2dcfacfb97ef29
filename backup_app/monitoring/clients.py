"""How well each client is protected."""

from dataclasses import dataclass

from django.db.models import Max, Q

from ..models import Client, Job
from ..services.reports import protection
from .families import gauge, timestamp

LABELS = ["account", "client"]
METRICS = {
    "backup_last_success_timestamp_seconds": (
        "When the newest good backup of a client ended.",
        lambda it: timestamp(it.last and it.last.ended),
    ),
    "backup_last_duration_seconds": (
        "How long the newest good backup took.",
        lambda it: it.duration,
    ),
    "backup_last_size_bytes": (
        "Bytes that the newest good backup read.",
        lambda it: it.last and it.last.bytes,
    ),
    "backup_last_stored_bytes": (
        "Bytes that the newest good backup takes in its storage.",
        lambda it: it.last and it.last.stored_bytes,
    ),
    "backup_client_stored_bytes": (
        "Bytes that all good backups of a client take in their storages.",
        lambda it: it.protection.stored_bytes,
    ),
    "backup_client_overdue": (
        "1 if a good backup is overdue, by BACKUP_OVERDUE_HOURS and the client's schedule.",
        lambda it: it.protection.is_overdue,
    ),
    "backup_client_failing": (
        "1 if a backup has failed since the newest good one.",
        lambda it: it.is_failing,
    ),
    "backup_last_verification_timestamp_seconds": (
        "When a verification last found the backups of a client intact.",
        lambda it: timestamp(it.verified),
    ),
}


@dataclass(frozen=True)
class Row:
    """A client with its newest good backup and what else its jobs tell."""

    protection: protection.Protection
    failed: int | None = None  # the newest failed backup's ID
    verified: object = None

    @property
    def last(self):
        return self.protection.last

    @property
    def labels(self):
        client = self.protection.client
        return client.account.get_username(), client.name

    @property
    def duration(self):
        if self.last and self.last.started and self.last.ended:
            return (self.last.ended - self.last.started).total_seconds()
        return None

    @property
    def is_failing(self):
        return self.failed is not None and (self.last is None or self.failed > self.last.pk)


def families():
    """Yield each metric of all clients that were not deleted, with three queries."""
    clients = Client.objects.present().select_related("account", "fileset")
    outcomes = _outcomes()
    rows = [Row(it, *outcomes.get(it.client.pk, ())) for it in protection.of_clients(clients)]
    for name, (description, value) in METRICS.items():
        yield gauge(name, description, LABELS, {row.labels: value(row) for row in rows})


def _outcomes():
    """Return (newest failed backup's ID, end of the newest good verification) by client."""
    failed = Q(type=Job.Type.BACKUP, status=Job.Status.FAILED)
    whole = Q(request__sample__isnull=True)  # and no restore test
    intact = whole & Q(type=Job.Type.VERIFY, status=Job.Status.COMPLETED)
    jobs = Job.objects.filter(failed | intact).order_by().values_list("client")
    newest, verified = Max("pk", filter=failed), Max("ended", filter=intact)
    found = jobs.annotate(newest=newest, verified=verified)
    return {client: outcome for client, *outcome in found}
