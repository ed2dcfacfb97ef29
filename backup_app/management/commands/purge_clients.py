from datetime import timedelta

from django.core.management.base import CommandError
from django.utils import timezone

from ...conf import conf
from ...jobs import retention
from ...lib.formatting import counted, format_time, size
from ..base import BackupCommand
from ..terminal import record_of, watched


class Command(BackupCommand):
    help = "Remove clients that were deleted long ago, with all of their backups."
    examples = (
        "purge_clients --dry-run",
        "purge_clients --days 90 --format json",
    )
    failure = "A client could not be removed; the messages say why."

    def add_arguments(self, parser):
        super().add_arguments(parser)
        parser.add_argument(
            "--days",
            type=int,
            help="Days since a client was deleted; BACKUP_PURGE_DAYS by default.",
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="Show what would be removed, and remove nothing."
        )

    def handle(self, *, days, dry_run, **options):
        days = conf.PURGE_DAYS if days is None else days
        if days < 0:
            raise CommandError(f"--days {days} must be 0 or more.")
        before = timezone.now() - timedelta(days=days)
        found = list(watched(retention.purge(before, dry_run=dry_run), "Clients"))
        purged = [each for each in found if not each.problem]
        problems = [each.problem for each in found if each.problem]
        data = {
            "purged": [record_of(each) for each in purged],
            "problems": problems,
            "dry_run": dry_run,
        }
        self.answer(data, "\n".join([*map(_line, purged), _total(purged, dry_run)]))
        self.fail_if(problems)


def _line(purged):
    when = format_time(purged.deleted)
    held = f"{counted(purged.backups, 'backup')}, {size(purged.stored_bytes)}"
    return f"'{purged.client}', deleted {when}: {held}."


def _total(purged, dry_run):
    return f"{'Would purge' if dry_run else 'Purged'} {counted(len(purged), 'client')}."
