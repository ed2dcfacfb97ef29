from contextlib import contextmanager
from pathlib import Path

from django.core.management.base import CommandError
from django.db import transaction

from ...api.serializers.jobs import JobAnswer
from ...engines import get_engine
from ...engines.values import Problem
from ...lib.formatting import counted
from ...services.storages import adopt
from ..base import BackupCommand
from ..lookup import account_named, storages_named
from ..terminal import watched


class Command(BackupCommand):
    help = (
        "Recreate jobs that are missing in the database from the volumes in storages, with all "
        "that they belong to. With --path not even the storage needs to be in the database: it is "
        "added, with a zone. Backups that the database has are left unchanged, so the command can "
        "be repeated."
    )
    examples = (
        "rebuild_catalog",
        "rebuild_catalog --path /srv/backups --account ann@example.org",
        "rebuild_catalog disk --dry-run --format json",
    )
    failure = "It was refused, or a backup could not be recreated; the messages say why."

    def add_arguments(self, parser):
        super().add_arguments(parser)
        self.add_storages(parser)
        parser.add_argument(
            "--path",
            type=Path,
            metavar="FOLDER",
            help="Folder of a storage that the database does not have: the one with "
            "'storage.label' and 'volumes' in it.",
        )
        parser.add_argument(
            "--account",
            metavar="EMAIL",
            help="E-mail address of the account that gets the backups of accounts that do not "
            "exist; by default these are created, without a password.",
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="Show what would be restored, and store nothing."
        )

    def handle(self, *, storages, path, account, dry_run, **options):
        if path and storages:
            raise CommandError("Name either storages or --path, not both.")
        heir = account_named(account) if account else None
        found, problems = [], []
        with _storages(storages, path, dry_run) as known:
            for storage in known:
                engine = get_engine(storage.zone.engine)
                jobs = engine.rebuild_catalog(storage, dry_run=dry_run, heir=heir)
                for each in watched(jobs, storage.name):
                    (problems if isinstance(each, Problem) else found).append(each)
        self._report(known if path else [], found, dry_run)
        self.fail_if([f"{problem.path}: {problem.message}" for problem in problems])

    def _report(self, added, found, dry_run):
        verb = "Would add" if dry_run else "Added"
        lines = [f"{verb} storage '{each}' in zone '{each.zone}'." for each in added]
        lines += [f"Job {job.pk}, {job.level} backup of client '{job.client}'." for job in found]
        verb = "Would restore" if dry_run else "Restored"
        lines.append(f"{verb} {counted(len(found), 'job')}.")
        data = {
            "storages": [each.name for each in added],
            "jobs": [JobAnswer.represent(job) for job in found],
            "dry_run": dry_run,
        }
        self.answer(data, "\n".join(lines))


@contextmanager
def _storages(names, path, dry_run):
    """Yield the storages, for a path a new one, which a dry run takes back in the end."""
    if not path:
        yield _known(names)
    elif dry_run:
        with transaction.atomic():
            yield [adopt(path.resolve())]
            transaction.set_rollback(True)
    else:
        yield [adopt(path.resolve())]


def _known(names):
    storages = storages_named(names)
    if not storages:
        raise CommandError("There is no storage: name the folder of one with --path FOLDER.")
    return storages
