from ...jobs import control
from ..base import BackupCommand
from ..lookup import client_named, own
from ..started_jobs import OPERATOR, answer_started


class Command(BackupCommand):
    help = "Start a backup of a client; the background worker runs it."
    examples = (
        "run_backup web1",
        "run_backup web1 --level full --wait --format json",
    )
    success = "The backup is queued, or with --wait has ended well."
    failure = "It was refused, or with --wait the backup has failed."

    def add_arguments(self, parser):
        super().add_arguments(parser)
        self.add_client(parser)
        parser.add_argument(
            "--level",
            default="incremental",
            help="full, differential or incremental; incremental by default.",
        )
        parser.add_argument(
            "--fileset", metavar="NAME", help="Fileset to use instead of the client's."
        )
        parser.add_argument("--pool", metavar="NAME", help="Pool to use instead of the client's.")
        parser.add_argument("--wait", action="store_true", help="Wait until the job has ended.")

    def handle(self, *, client, account, level, fileset, pool, wait, **options):
        client = client_named(client, account)
        instead = {
            "fileset": own(client.account.backup_filesets, fileset, "fileset"),
            "pool": own(client.account.backup_pools, pool, "pool"),
        }
        job = control.start_backup(client, level=level, **instead, by=OPERATOR)
        answer_started(self, [job], wait=wait)
