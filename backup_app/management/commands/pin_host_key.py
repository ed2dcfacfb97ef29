"""Pin the host keys that a client's SSH server shows, once a person has compared them."""

from django.core.management.base import BaseCommand, CommandError

from ...engines.archive.identity import fingerprint
from ...engines.archive.pinning import pin, pinned_keys, shown_host_keys
from ...exceptions import BackupError
from ..finding import client_named


class Command(BaseCommand):
    help = "Pin the SSH host keys of a client, which the server then accepts and no others."

    def add_arguments(self, parser):
        parser.add_argument("client", help="name or IP address")
        parser.add_argument("--account", metavar="EMAIL", help="whose client it is")
        parser.add_argument(
            "--yes", action="store_true", help="do not ask; for keys that cannot be another's"
        )
        parser.add_argument(
            "--replace", action="store_true", help="forget the keys that were pinned before"
        )

    def handle(self, *, client, account, yes, replace, **options):
        client = client_named(client, account)
        try:
            shown = shown_host_keys(client)
            self._show(client, shown)
            if set(pinned_keys(client)) == set(shown):
                self.stdout.write("They are pinned already.")
                return
            self._ask(yes)
            pin(client, shown, replace=replace)
        except BackupError as e:
            raise CommandError(e.message) from e
        self.stdout.write(f"Pinned the host keys of '{client}'.")

    def _show(self, client, keys):
        self.stdout.write(f"'{client}' ({client.ip}) shows:")
        for key in keys:
            self.stdout.write(f"  {key.split()[0]} {fingerprint(key)}")

    def _ask(self, yes):
        if yes:
            return
        try:
            answer = input("Are they its own? [y/N] ")
        except EOFError as e:
            raise CommandError("Nobody is there to ask; say --yes if they are its own.") from e
        if answer.strip().lower() not in {"y", "yes"}:
            raise CommandError("Nothing was pinned.")
