from ...accounts import api_keys
from ...lib.formatting import format_time
from ..base import BackupCommand


class Command(BackupCommand):
    help = "Revoke an API key, at once and for good."
    examples = ("revoke_api_key 3fe9a1c2",)

    def add_arguments(self, parser):
        super().add_arguments(parser)
        parser.add_argument("prefix", help="The characters between 'bk_' and the next '_'.")

    def handle(self, *, prefix, **options):
        key = api_keys.revoke(prefix)
        data = {
            "prefix": key.prefix,
            "name": key.name,
            "revoked": format_time(key.revoked),
        }
        self.answer(data, f"Revoked the API key {key.prefix} of {key.account}.")
