from django.core.management.base import CommandError

from ...api.serializers.jobs import JobAnswer
from ...engines import get_engine
from ...engines.values import Problem
from ...lib.formatting import counted
from ..base import BackupCommand
from ..lookup import storages_named
from ..terminal import watched


class Command(BackupCommand):
    help = "Recreate jobs that are missing in the database from the volumes in storages."

    def add_arguments(self, parser):
        super().add_arguments(parser)
        self.add_storages(parser)
        parser.add_argument(
            "--dry-run", action="store_true", help="Show what would be restored, and store nothing."
        )

    def handle(self, *, storages, dry_run, **options):
        found, problems = [], []
        for storage in _known(storages):
            engine = get_engine(storage.zone.engine)
            for each in watched(engine.rebuild_catalog(storage, dry_run=dry_run), storage.name):
                (problems if isinstance(each, Problem) else found).append(each)
        verb = "Would restore" if dry_run else "Restored"
        lines = [f"Job {job.pk}, {job.level} backup of client '{job.client}'." for job in found]
        total = f"{verb} {counted(len(found), 'job')}."
        data = {"jobs": [JobAnswer.represent(job) for job in found], "dry_run": dry_run}
        self.answer(data, "\n".join([*lines, total]))
        self.fail_if([f"{problem.path}: {problem.message}" for problem in problems])


def _known(names):
    storages = storages_named(names)
    if not storages:
        raise CommandError(
            "There is no storage: create one in the admin first, "
            "whose path is the folder with 'volumes'."
        )
    return storages
