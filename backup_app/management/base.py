import json

from django.core.management.base import BaseCommand, CommandError

from ..exceptions import BackupError, InvalidEngine


class BackupCommand(BaseCommand):
    """Turns the app's errors into CommandError; ``--format json`` prints one JSON document."""

    def add_arguments(self, parser):
        parser.add_argument(
            "--format",
            choices=["text", "json"],
            default="text",
            help="Output format; text by default.",
        )

    def add_client(self, parser):
        """Add the arguments that name one client, for ``lookup.client_named``."""
        parser.add_argument("client", help="Name or IP address of the client.")
        parser.add_argument(
            "--account",
            metavar="EMAIL",
            help="E-mail address of the client's account; needed if several have one of this name.",
        )

    def add_storages(self, parser):
        """Add the names of storages, none for all, for ``lookup.storages_named``."""
        parser.add_argument(
            "storages", nargs="*", metavar="STORAGE", help="Name of a storage; all by default."
        )

    def execute(self, *args, **options):
        self.is_json = options["format"] == "json"
        try:
            return super().execute(*args, **options)
        except (BackupError, InvalidEngine) as e:
            raise CommandError(str(e)) from e

    def answer(self, data, text: str):
        """Write data as JSON, or the equivalent text."""
        self.stdout.write(json.dumps(data, indent=2) if self.is_json else text)

    def fail_if(self, problems: list[str]):
        """Write problems to standard error; raises CommandError when there are any."""
        for problem in problems:
            self.stderr.write(problem)
        if problems:
            number = len(problems)
            raise CommandError(f"{number} problem{'s' * (number > 1)}, shown above.")
