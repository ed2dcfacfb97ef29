from pathlib import Path

from ...demo.seeding import DemoBackup, fill, may_be_read
from ...lib.formatting import counted
from ..base import BackupCommand
from ..lookup import account_named


class Command(BackupCommand):
    help = (
        "Create a demo client of this machine, and a folder of small files that it backs up. "
        "Existing records are left unchanged, so the command can be repeated."
    )
    examples = ("seed_backup_demo --user ann@example.org --folder var/demo-files",)

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
        made = [*records, *([f"{counted(len(files), 'file')} in '{folder}'"] if files else [])]
        nothing = "Nothing to create: the demo of the backup service is complete."
        text = f"Created {', '.join(made)}." if made else nothing
        self.answer({"records": records, "files": [str(file) for file in files]}, text)
