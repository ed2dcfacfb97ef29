from pathlib import Path

from django.core.management.base import BaseCommand

from ...demo.seeding import DemoBackup, fill, may_be_read
from ..accounts import account_by_email


class Command(BaseCommand):
    help = (
        "Make a demo client of this machine, and a folder of small files that it backs up. What "
        "was made before stays as it is, so that the command can be repeated."
    )

    def add_arguments(self, parser):
        parser.add_argument("--user", metavar="EMAIL", required=True, help="whose client it is")
        parser.add_argument(
            "--folder", metavar="PATH", type=Path, required=True, help="where the files go"
        )

    def handle(self, *, user, folder, **options):
        folder = folder.absolute()
        demo = DemoBackup(account_by_email(user), folder)
        files = fill(folder)
        demo.make()
        self._say(demo.made, files, folder)
        if not may_be_read(folder):
            self.stderr.write(
                f"Backups of '{folder}' fail until BACKUP_LOCAL_ROOTS holds it or what is above it."
            )

    def _say(self, records, files, folder):
        made = [f"{record._meta.verbose_name} '{record.name}'" for record in records]
        if files:
            made.append(f"{len(files)} {'file' if len(files) == 1 else 'files'} in '{folder}'")
        if made:
            self.stdout.write(f"Made {', '.join(made)}.")
        else:
            self.stdout.write("Nothing to make: the demo of the backup service is complete.")
