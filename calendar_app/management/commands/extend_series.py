from ...services import series
from ..base import CalendarCommand


class Command(CalendarCommand):
    help = (
        "Make the events of series whose dates have come within CALENDAR_SERIES_HORIZON_DAYS. "
        "Workers do so by themselves; this is for cron where none runs."
    )
    examples = (
        "extend_series",
        "extend_series --format json",
    )

    def handle(self, **options):
        number = series.extend_due()
        self.answer({"events": number}, f"Made {number} events.")
