import time

from django.core.management.base import CommandError

from ...jobs import periodic
from ...models import Job
from ..base import BackupCommand


class Command(BackupCommand):
    help = (
        "Start backups that are due, end jobs whose worker died and send alerts, until stopped. "
        "Only for projects with a task backend other than django-tasks-db, whose workers do so "
        "themselves."
    )

    examples = (
        "backup_upkeep --every 10",
        "backup_upkeep --once",
    )
    has_format = False  # it reports nothing

    def add_arguments(self, parser):
        parser.add_argument(
            "--every",
            type=float,
            default=5,
            metavar="SECONDS",
            help="Seconds between rounds; 5 by default.",
        )
        parser.add_argument(
            "--once", action="store_true", help="Do one round and exit, for use with cron."
        )

    def handle(self, *, every, once, **options):
        if every <= 0:
            raise CommandError(f"--every {every} is too short: it must be more than 0 seconds.")
        Job.objects.exists()  # fails at once without a database; a step would only log that
        while True:
            periodic.tick()
            periodic.alert()
            if once:
                break
            time.sleep(every)
