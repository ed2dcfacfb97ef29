from ...services import history, idempotency
from ...webhooks import deliveries
from ..base import CalendarCommand


class Command(CalendarCommand):
    help = (
        "Delete old idempotency keys, deliveries of webhooks and changes of the history, as the "
        "worker does daily."
    )
    examples = (
        "prune_calendar",
        "prune_calendar --format json",
    )

    def handle(self, **options):
        keys = idempotency.prune()
        old = deliveries.prune()
        changes = history.prune()
        data = {"idempotency_keys": keys, "webhook_deliveries": old, "changes": changes}
        self.answer(
            data,
            f"Deleted {keys} idempotency keys, {old} deliveries of webhooks and {changes} changes "
            "of the history.",
        )
