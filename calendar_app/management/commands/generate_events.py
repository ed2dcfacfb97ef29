from django.core.management.base import CommandError

from ...demo.generate import generate
from ..base import CalendarCommand
from ..output import progress


class Command(CalendarCommand):
    help = "Store any number of generated events, to test the calendar with many."
    examples = (
        "generate_events 100000",
        "generate_events 500 --seed 2 --format json",
    )

    def add_arguments(self, parser):
        super().add_arguments(parser)
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
        with progress("Events", number) as show:
            generate(number, seed=seed, progress=lambda done: show(done, number))
        self.answer({"events": number}, f"Stored {number} generated events.")
