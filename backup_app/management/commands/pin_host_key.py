from django.core.management.base import CommandError

from ...services import host_keys
from ..base import BackupCommand
from ..lookup import client_named


class Command(BackupCommand):
    help = "Pin the SSH host keys that a client presents, so that it is reached with no others."
    examples = (
        "pin_host_key web1",
        "pin_host_key 192.0.2.10 --yes --format json",
    )

    def add_arguments(self, parser):
        super().add_arguments(parser)
        self.add_client(parser)
        parser.add_argument("--yes", action="store_true", help="Trust the keys without asking.")
        parser.add_argument(
            "--replace", action="store_true", help="Replace keys that were pinned before."
        )
        parser.add_argument(
            "--shared", action="store_true", help="Allow another account to have the same machine."
        )

    def handle(self, *, client, account, yes, replace, shared, **options):
        client = client_named(client, account)
        found = host_keys.shown_by(client)
        if not shared:
            _require_own(client, found.shown)
        shown = found.fingerprints
        if not found.are_pinned:
            if not yes:
                self._ask(client, shown)
            host_keys.pin(client, found.shown, replace=replace, shared=shared)
        lines = [f"'{client}' ({client.ip}) is pinned to:", *_lines(shown)]
        records = [{"type": kind, "fingerprint": value} for kind, value in shown]
        self.answer({"client": client.name, "host_keys": records}, "\n".join(lines))

    def _ask(self, client, shown):
        # To standard error, so that standard output has only the answer.
        shows = [f"'{client}' ({client.ip}) shows:", *_lines(shown)]
        question = "\n".join([*shows, "Trust these keys? [y/N] "])
        self.stderr.write(question, style_func=str, ending="")
        self.stderr.flush()
        try:
            answer = input()
        except EOFError as e:
            raise CommandError(
                "There is no terminal to ask on; pass --yes to trust the keys."
            ) from e
        if answer.strip().lower() not in {"y", "yes"}:
            raise CommandError("Nothing was pinned.")


def _require_own(client, keys):
    """Refuse another account's machine: all machines accept the same key of this server."""
    for other in host_keys.same_machines(client, keys):
        raise CommandError(
            f"This is the machine of client '{other}' of {other.account.email}, which '{client}' "
            "could then read and change. Pass --shared to allow it."
        )


def _lines(shown):
    return [f"  {kind} {value}" for kind, value in shown]
