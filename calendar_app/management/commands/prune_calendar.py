from ...services import idempotency
from ...webhooks import deliveries
from ..base import CalendarCommand


class Command(CalendarCommand):
    help = "Delete old idempotency keys and deliveries of webhooks, as the worker does daily."
    examples = (
        "prune_calendar",
        "prune_calendar --format json",
    )

    def handle(self, **options):
        keys = idempotency.prune()
        old = deliveries.prune()
        data = {"idempotency_keys": keys, "webhook_deliveries": old}
        self.answer(data, f"Deleted {keys} idempotency keys and {old} deliveries of webhooks.")
