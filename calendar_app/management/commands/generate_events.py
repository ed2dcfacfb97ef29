from django.core.management.base import BaseCommand, CommandError
from rich.progress import Progress

from ...demo.generate import generate


class Command(BaseCommand):
    help = "Store any number of generated events, to test the calendar with many."

    def add_arguments(self, parser):
        parser.add_argument("number", type=int, help="Number of events.")
        parser.add_argument(
            "--seed",
            type=int,
            default=1,
            help="Seed of the random generator; each seed gives different events. Default: 1.",
        )

    def handle(self, *, number, seed, **options):
        if number < 1:
            raise CommandError(f"The number of events must be 1 or more, not {number}.")
        with Progress(disable=not self.stdout.isatty()) as bar:
            task = bar.add_task("Events", total=number)
            generate(number, seed=seed, progress=lambda done: bar.update(task, completed=done))
        self.stdout.write(f"Stored {number} generated events.")
