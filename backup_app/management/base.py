"""What all commands share: their help, their answer as text or JSON, their errors."""

import json

from django.core.management.base import BaseCommand, CommandError, DjangoHelpFormatter

from ..exceptions import BackupError, InvalidEngine

CODES = {2: "An argument is wrong.", 130: "It was interrupted by Ctrl-C."}


class HelpFormatter(DjangoHelpFormatter):
    """Keeps the lines of a text that has several, such as the examples."""

    def _fill_text(self, text, width, indent):
        return text if "\n" in text else super()._fill_text(text, width, indent)


class ExplainedCommand(BaseCommand):
    """Its ``--help`` has ``examples``, command lines after "manage.py", and all exit codes.

    ``success`` says what 0 means, ``failure`` what 1 means, and ``codes`` the others.
    """

    examples: tuple[str, ...] = ()
    success = "Done."
    failure = "It was refused or has failed; the message says why."
    codes = CODES

    def create_parser(self, prog_name, subcommand, **kwargs):
        program = prog_name.rpartition("/")[2]
        codes = {0: self.success, 1: self.failure} | self.codes
        lines = ["examples:", *(f"  {program} {example}" for example in self.examples)]
        lines += [
            "",
            "exit codes:",
            *(f"  {code:<3}  {told}" for code, told in codes.items()),
        ]
        kwargs = {"epilog": "\n".join(lines), "formatter_class": HelpFormatter} | kwargs
        return super().create_parser(prog_name, subcommand, **kwargs)


class BackupCommand(ExplainedCommand):
    """Turns the app's errors into CommandError; ``--format json`` prints one JSON document."""

    has_format = True  # whether it reports something

    def add_arguments(self, parser):
        if self.has_format:
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
        self.is_json = options.get("format") == "json"
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
