from ...services import counts
from ..base import CalendarCommand


class Command(CalendarCommand):
    help = "Count the events of all categories and tags anew, as after SQL written by hand."
    examples = (
        "recount_terms",
        "recount_terms --format json",
    )

    def handle(self, **options):
        wrong = counts.recount()
        text = f"Corrected {wrong} counts." if wrong else "All counts were right."
        self.answer({"corrected": wrong}, text)
