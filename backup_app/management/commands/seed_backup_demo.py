from pathlib import Path

from ...demo.seeding import DemoBackup, fill, may_be_read
from ..base import BackupCommand
from ..lookup import account_named


class Command(BackupCommand):
    help = (
        "Make a demo client of this machine, and a folder of small files that it backs up. What "
        "was made before stays as it is, so that the command can be repeated."
    )

    def add_arguments(self, parser):
        super().add_arguments(parser)
        parser.add_argument(
            "--user", metavar="EMAIL", required=True, help="E-mail address of the account."
        )
        parser.add_argument(
            "--folder",
            metavar="PATH",
            type=Path,
            required=True,
            help="Folder to write the demo files to.",
        )

    def handle(self, *, user, folder, **options):
        folder = folder.absolute()
        demo = DemoBackup(account_named(user), folder)
        files = fill(folder)
        demo.make()
        self._say(demo.made, files, folder)
        if not may_be_read(folder):
            self.stderr.write(
                f"Backups of '{folder}' fail until BACKUP_LOCAL_ROOTS has it or a folder above it."
            )

    def _say(self, records, files, folder):
        records = [f"{record._meta.verbose_name} '{record.name}'" for record in records]
        number = "1 file" if len(files) == 1 else f"{len(files)} files"
        made = [*records, *([f"{number} in '{folder}'"] if files else [])]
        if made:
            text = f"Made {', '.join(made)}."
        else:
            text = "Nothing to make: the demo of the backup service is complete."
        self.answer({"records": records, "files": [str(file) for file in files]}, text)
