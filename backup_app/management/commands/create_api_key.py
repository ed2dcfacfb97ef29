from datetime import timedelta

from django.core.management.base import CommandError
from django.utils import timezone

from ...accounts import api_keys
from ...lib.formatting import format_time
from ..base import BackupCommand
from ..lookup import account_named

MAX_DAYS = 36_500


class Command(BackupCommand):
    help = "Create an API key for an account and print it; it cannot be shown again."
    examples = ("create_api_key ann@example.org --name scripts --expires 365",)

    def add_arguments(self, parser):
        super().add_arguments(parser)
        parser.add_argument("email", help="E-mail address of the account.")
        parser.add_argument("--name", default="", help="What the key is for.")
        parser.add_argument(
            "--expires",
            type=int,
            metavar="DAYS",
            help="Days until the key expires; never by default.",
        )

    def handle(self, *, email, name, expires, **options):
        if expires is not None and not 1 <= expires <= MAX_DAYS:
            raise CommandError(f"--expires {expires} is not a number of days from 1 to {MAX_DAYS}.")
        until = expires and timezone.now() + timedelta(days=expires)
        key, text = api_keys.make(account_named(email), name, until)
        data = {
            "key": text,
            "prefix": key.prefix,
            "name": name,
            "expires": format_time(until),
        }
        self.answer(data, text)
