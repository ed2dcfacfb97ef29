"""What all commands share: their help, and their answer as text or JSON."""

import json

from django.core.management.base import BaseCommand, DjangoHelpFormatter

from ..services.actor import acting

CODES = {2: "An argument is wrong.", 130: "It was interrupted by Ctrl-C."}


class HelpFormatter(DjangoHelpFormatter):
    """Keeps the lines of a text that has several, such as the examples."""

    def _fill_text(self, text, width, indent):
        return text if "\n" in text else super()._fill_text(text, width, indent)


class CalendarCommand(BaseCommand):
    """``--format json`` prints one JSON document.

    ``--help`` shows ``examples``, which are command lines after "manage.py", and what exit code 0,
    ``success``, and 1, ``failure``, mean.
    """

    examples: tuple[str, ...] = ()
    success = "Done."
    failure = "It was refused or has failed; the message says why."

    def create_parser(self, prog_name, subcommand, **kwargs):
        program = prog_name.rpartition("/")[2]
        codes = {0: self.success, 1: self.failure} | CODES
        lines = ["examples:", *(f"  {program} {example}" for example in self.examples)]
        lines += ["", "exit codes:", *(f"  {code:<3}  {told}" for code, told in codes.items())]
        kwargs = {"epilog": "\n".join(lines), "formatter_class": HelpFormatter} | kwargs
        return super().create_parser(prog_name, subcommand, **kwargs)

    def add_arguments(self, parser):
        parser.add_argument(
            "--format",
            choices=["text", "json"],
            default="text",
            help="Format of what is reported; text by default.",
        )

    def execute(self, *args, **options):
        self.is_json = options.get("format") == "json"
        name = type(self).__module__.rpartition(".")[2]
        with acting(door=f"command {name}"):
            return super().execute(*args, **options)

    def answer(self, data, text):
        """Write data as JSON, or the equivalent text."""
        self.stdout.write(json.dumps(data, indent=2) if self.is_json else text)
