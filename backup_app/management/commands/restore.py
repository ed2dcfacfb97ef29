import os

from django.core.management.base import CommandError

from ...engines import get_engine
from ...engines.previews import Existing
from ...jobs import control
from ...lib.paths import ROOT, rooted
from ..base import BackupCommand
from ..lookup import client_named, job_with_id
from ..planned_restores import planned_lines
from ..started_jobs import OPERATOR, answer_started


class Command(BackupCommand):
    help = (
        "Restore files and folders from a backup to their original location or another one. "
        "Existing files are replaced, unless --existing says otherwise."
    )
    examples = (
        "restore 42 /etc/hosts /srv/www --wait",
        "restore 42 /home/ann --to /srv/restored --client web2 --format json",
    )
    success = "The restore is queued, or with --wait has ended well."
    failure = "It was refused, or with --wait the restore has failed."

    def add_arguments(self, parser):
        super().add_arguments(parser)
        parser.add_argument("job", type=int, help="Number of the backup job.")
        parser.add_argument(
            "paths",
            nargs="+",
            metavar="PATH",
            help="Path of a file, or of a folder with everything in it.",
        )
        parser.add_argument(
            "--to",
            default="/",
            metavar="FOLDER",
            help="Folder to restore to, keeping full paths below it; the original one by default.",
        )
        parser.add_argument(
            "--client", help="Client to restore to; the one that was backed up by default."
        )
        parser.add_argument(
            "--existing",
            choices=list(Existing),
            default=Existing.OVERWRITE,
            help="What happens to files that are there already: overwrite them (the default), keep "
            "those that are newer than the backup's, or keep all.",
        )
        parser.add_argument(
            "--plan",
            action="store_true",
            help="Only tell what would be restored and replaced, and change nothing.",
        )
        parser.add_argument("--wait", action="store_true", help="Wait until the job has ended.")

    def handle(self, *, job, paths, to, client, existing, plan, wait, **options):
        backup = job_with_id(job)
        target = client_named(client, backup.account.email) if client else backup.client
        control.require_good(backup)
        wanted = [_wanted(path) for path in paths]
        selection = get_engine(backup.engine).select_paths(backup, wanted)
        how = {"path": os.fsencode(to), "existing": existing}
        if plan:
            self._tell(control.plan_restore(backup, target, selection, **how))
            return
        started = control.start_restore(backup, target, selection, **how, by=OPERATOR)
        answer_started(self, [started], wait=wait)

    def _tell(self, preview):
        """Write a plan; raises CommandError if the restore would fail."""
        self.answer(preview.as_json(), "\n".join(planned_lines(preview)))
        self.fail_if(preview.faults)


def _wanted(text):
    path = rooted(os.fsencode(text))
    if path is None:
        raise CommandError(f"'{text}' is not an absolute path.")
    return path.rstrip(ROOT) or ROOT
