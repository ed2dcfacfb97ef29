from ...services import idempotency
from ..base import CalendarCommand


class Command(CalendarCommand):
    help = "Delete the idempotency keys of the API whose time is over; the worker does so daily."
    examples = (
        "prune_calendar",
        "prune_calendar --format json",
    )

    def handle(self, **options):
        keys = idempotency.prune()
        self.answer({"idempotency_keys": keys}, f"Deleted {keys} idempotency keys.")
