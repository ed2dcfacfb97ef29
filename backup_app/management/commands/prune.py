from ...jobs import retention
from ...lib.formatting import counted, size
from ..base import BackupCommand
from ..lookup import clients_named
from ..terminal import record_of, table, watched

HEADS = ["job", "client", "type", "level", "status", "ended", "size"]


class Command(BackupCommand):
    help = (
        "Remove backups that their pools no longer keep, and old rows of other jobs. What a kept "
        "backup builds on stays, and so does the newest good one of each fileset of a client."
    )
    examples = (
        "prune --dry-run",
        "prune --client web1 --format json",
    )
    failure = "A backup could not be removed; the messages say why."

    def add_arguments(self, parser):
        super().add_arguments(parser)
        parser.add_argument("--client", help="Only backups of this client, by name or IP address.")
        parser.add_argument(
            "--account", metavar="EMAIL", help="Only backups of this account's clients."
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="Show what would be removed, and remove nothing."
        )

    def handle(self, *, client, account, dry_run, **options):
        removals = retention.prune(clients_named(client, account), dry_run=dry_run)
        found = list(watched(removals, "Jobs"))
        removed = [each for each in found if not each.problem]
        problems = [each.problem for each in found if each.problem]
        freed = sum(each.stored_bytes for each in removed)
        data = {
            "removed": [record_of(each) for each in removed],
            "stored_bytes": freed,
            "problems": problems,
            "dry_run": dry_run,
        }
        verb = "Would remove" if dry_run else "Removed"
        total = f"{verb} {counted(len(removed), 'job')}, {size(freed)}."
        self.answer(data, "\n".join([*self._table(removed), total]))
        self.fail_if(problems)

    def _table(self, removed):
        records = (record_of(each).values() for each in removed)
        rows = [[*values, size(stored)] for *values, stored in records]
        return [table(HEADS, rows, terminal=self.stdout.isatty())] if rows else []
