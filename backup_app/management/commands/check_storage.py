from ...engines import get_engine
from ...lib.formatting import counted
from ..base import BackupCommand
from ..lookup import storages_named
from ..terminal import watched


class Command(BackupCommand):
    help = (
        "Compare the volumes in storages with the catalog: report those that are missing, have the "
        "wrong size or belong to no job. 'verify' reads their content."
    )
    examples = (
        "check_storage",
        "check_storage disk --format json",
        "check_storage --delete --dry-run",
    )
    success = "The storages are as the catalog says."
    failure = "A storage and the catalog differ."

    def add_arguments(self, parser):
        super().add_arguments(parser)
        self.add_storages(parser)
        parser.add_argument(
            "--delete", action="store_true", help="Delete volumes that belong to no job."
        )
        parser.add_argument(
            "--dry-run",
            action="store_true",
            help="With --delete, show what would be deleted, and delete nothing.",
        )

    def handle(self, *, storages, delete, dry_run, **options):
        checked, problems = storages_named(storages), []
        for storage in checked:
            engine = get_engine(storage.zone.engine)
            found = engine.check_storage(storage, delete=delete and not dry_run)
            problems += [(storage, problem) for problem in watched(found, storage.name)]
        records = [_record(storage, problem) for storage, problem in problems]
        total = f"Checked {counted(len(checked), 'storage')}: {counted(len(problems), 'problem')}."
        self.answer({"storages": len(checked), "problems": records}, total)
        self.fail_if([f"{storage}: {each.path}: {each.message}" for storage, each in problems])


def _record(storage, problem):
    return {
        "storage": storage.name,
        "path": problem.path,
        "job_id": problem.job_id,
        "message": problem.message,
    }
