"""Whether each alert rule reaches whom it tells, by mail or webhook; nothing is sent."""

from collections.abc import Iterator
from typing import Any

from django.db.models import OuterRef, Subquery

from ..lib.formatting import format_time
from ..models import AlertDelivery, AlertRule
from .finding import Finding, failed, ok, skipped

REMEDY = "See Alert deliveries in the admin, correct the rule's target, and use 'Send again'."


def examine() -> Iterator[Finding]:
    """Yield how the last message of each rule fared, with two queries for all of them."""
    tried = AlertDelivery.objects.filter(rule=OuterRef("pk"), tries__gt=0).order_by("-pk")
    last = Subquery(tried.values("pk")[:1])
    rules: list[Any] = list(AlertRule.objects.active().annotate(last=last))
    deliveries = AlertDelivery.objects.in_bulk([rule.last for rule in rules if rule.last])
    for rule in rules:
        yield _of_a_rule(rule, deliveries.get(rule.last))
    if not rules:
        yield skipped("Nobody is told of problems: make an alert rule in the admin.")


def _of_a_rule(rule: AlertRule, last: AlertDelivery | None) -> Finding:
    if last is None:
        return ok(f"By {rule.channel}; no message yet.", rule.name)
    if last.status == AlertDelivery.Status.SENT:
        return ok(
            f"The last message by {rule.channel} arrived, {format_time(last.sent)}.", rule.name
        )
    outcome = last.attempts[-1]["outcome"] if last.attempts else "no answer yet."
    told = f"The last message by {rule.channel} did not arrive: {outcome}"
    return failed(told, REMEDY, rule.name)
