from django.db.models import Max, Q

from ...jobs import control
from ...models import Job
from ..base import BackupCommand
from ..lookup import job_with_id
from ..started_jobs import OPERATOR, answer_started


class Command(BackupCommand):
    help = (
        "Read backups again and compare them with the catalog: those that are named, or the "
        "newest good one of each client and fileset, with all that it builds on."
    )
    examples = (
        "verify --wait",
        "verify 42 43 --format json",
    )
    success = "The verifications are queued, or with --wait all backups are intact."
    failure = "It was refused, or with --wait a backup is not as the catalog says."

    def add_arguments(self, parser):
        super().add_arguments(parser)
        parser.add_argument(
            "jobs", nargs="*", type=int, metavar="JOB", help="Number of a backup job."
        )
        parser.add_argument(
            "--wait", action="store_true", help="Wait until all verifications have ended."
        )

    def handle(self, *, wait, **options):
        backups = [job_with_id(pk) for pk in options["jobs"] or newest_chains()]
        started = [control.start_verify(backup, OPERATOR) for backup in backups]
        answer_started(self, started, wait=wait, one=False)


def newest_chains():
    """Return the IDs of the jobs that the newest state of each client is restored from."""
    backups = Job.objects.backups().good().filter(client__deleted=None)
    newest = backups.values("client", "fileset").annotate(newest=Max("pk")).values("newest")
    needed = backups.filter(Q(pk__in=newest) | Q(dependents__in=newest))
    return needed.order_by("pk").values_list("pk", flat=True).distinct()
