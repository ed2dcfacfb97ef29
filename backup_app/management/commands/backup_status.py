from django.core.management.base import CommandError
from rich.text import Text

from ...lib.formatting import counted, format_time, size
from ...services.reports import protection
from ..base import BackupCommand
from ..lookup import clients_named
from ..terminal import table

HEADS = ["client", "last good backup", "age", "size", "state"]
COLOURS = {"ok": "green", "overdue": "bold red"}


class Command(BackupCommand):
    help = "List the clients with their last good backup, and which are overdue."
    examples = (
        "backup_status",
        "backup_status --account ann@example.org --format json",
    )
    success = "No client is overdue."
    failure = "A client is overdue."

    def add_arguments(self, parser):
        super().add_arguments(parser)
        parser.add_argument("--account", metavar="EMAIL", help="Only the clients of this account.")

    def handle(self, *, account, **options):
        found = protection.of_clients(clients_named(account=account))
        late = [each for each in found if each.is_overdue]
        data = {"clients": [_record(each) for each in found], "overdue": len(late)}
        rows = [_row(each) for each in found]
        self.answer(data, table(HEADS, rows, terminal=self.stdout.isatty()))
        if late:
            raise CommandError(f"{counted(len(late), 'client')} overdue.")


def _record(each):
    return {
        "client": each.client.name,
        "account": each.client.account.email,
        "last_backup": each.last and format_time(each.last.ended),
        "job_id": each.last and each.last.pk,
        "age_seconds": each.age and int(each.age.total_seconds()),
        "stored_bytes": each.stored_bytes,
        "state": each.state,
    }


def _row(each):
    last = format_time(each.last.ended) if each.last else "none"
    state = Text(each.state, style=COLOURS.get(each.state, "yellow"))
    return [each.client.name, last, _words(each.age), size(each.stored_bytes), state]


def _words(age):
    """Return an age in its largest unit."""
    if age is None:
        return None
    minutes = int(age.total_seconds()) // 60
    for unit, length in {"day": 24 * 60, "hour": 60}.items():
        if minutes >= length:
            return counted(minutes // length, unit)
    return counted(minutes, "minute")
