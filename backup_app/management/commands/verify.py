from django.db.models import Max, Q

from ... import jobs
from ...models import Client
from ...models.job import GOOD
from ..base import BackupCommand
from ..finding import job_with_id
from ..started import OPERATOR, answer_started


class Command(BackupCommand):
    help = (
        "Read whole backups again and compare them with the catalog: those that are named, or "
        "the newest good one of each client."
    )

    def add_arguments(self, parser):
        super().add_arguments(parser)
        parser.add_argument("jobs", nargs="*", type=int, metavar="JOB")
        parser.add_argument("--wait", action="store_true", help="Until all have ended.")

    def handle(self, *, wait, **options):
        backups = [job_with_id(pk) for pk in options["jobs"] or newest_backups()]
        started = [jobs.start_verify(backup, OPERATOR) for backup in backups]
        answer_started(self, started, wait=wait, one=False)


def newest_backups():
    """Return the ID of the newest good backup of each client."""
    good = Q(jobs__type="backup", jobs__status__in=GOOD)
    clients = Client.objects.present().annotate(newest=Max("jobs__pk", filter=good))
    return clients.exclude(newest=None).values_list("newest", flat=True)
