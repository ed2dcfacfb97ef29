from pathlib import Path

from django.core.management.base import CommandError

from ...lib.formatting import counted
from ...services import client_table
from ..base import BackupCommand
from ..lookup import account_named


class Command(BackupCommand):
    help = (
        "Create many clients of an account from a CSV file with the columns name and ip, and if "
        "needed internal_ip, system, zone, pool, fileset, schedule, priority and bandwidth_limit. "
        "If a line is wrong nothing is created. A Bacula is told of all of them with one reload."
    )
    examples = (
        "import_clients machines.csv --account ann@example.org --dry-run",
        "import_clients machines.csv --account ann@example.org --skip-bad --format json",
    )
    success = "All clients were created, or would be."
    failure = "A line is wrong, or an engine could not be told; the messages say why."

    def add_arguments(self, parser):
        super().add_arguments(parser)
        parser.add_argument("file", type=Path, help="The CSV file, in UTF-8.")
        parser.add_argument(
            "--account", metavar="EMAIL", required=True, help="E-mail address of the account."
        )
        parser.add_argument(
            "--skip-bad", action="store_true", help="Create the clients of the other lines."
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="Show what would be created, and store nothing."
        )

    def handle(self, *, file, account, skip_bad, dry_run, **options):
        how = {"skip_bad": skip_bad, "dry_run": dry_run}
        found = client_table.onboard(account_named(account), _lines(file), **how)
        done = "Created" if found.is_stored else "Would create"
        names = [client.name for client in found.created]
        record = {"created": names, "problems": found.problems, "stored": found.is_stored}
        lines = [f"{done} client '{client}' ({client.ip})." for client in found.created]
        lines.append(f"{done} {counted(len(names), 'client')}.")
        self.answer(record | {"faults": found.faults}, "\n".join(lines))
        self.fail_if([*found.problems, *found.faults])


def _lines(file):
    try:
        return file.read_text("utf-8-sig").splitlines(keepends=True)
    except (OSError, UnicodeDecodeError) as e:
        reason = getattr(e, "strerror", None) or "it is not in UTF-8"
        raise CommandError(f"The file '{file}' cannot be read: {reason}.") from e
