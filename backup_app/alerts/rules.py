"""Whom a finding concerns, and whether it is news to them.

A rule is quiet about a problem that it was told of, until that changes or ends.
"""

from collections.abc import Iterable, Sequence

from django.db import IntegrityError, transaction
from django.utils import timezone

from ..models import AlertRule, AlertState, Pool
from ..models.alert import AlertEvent
from . import deliveries
from .findings import Finding

ABOUT = ["client", "storage", "backup", "maintenance"]


def active() -> Sequence[AlertRule]:
    """Return the rules that are enabled, with their clients."""
    return list(AlertRule.objects.active().prefetch_related("clients"))


def tell(finding: Finding, rules: Iterable[AlertRule]) -> None:
    """Make a message for each rule that the finding concerns and to which it is news."""
    for rule in rules:
        if _concerns(rule, finding):
            _tell(rule, finding)


def _concerns(rule: AlertRule, finding: Finding) -> bool:
    chosen = {client.pk for client in rule.clients.all()}
    if client := finding.client:
        is_of_account = rule.account_id in (None, client.account_id)
        return is_of_account and (not chosen or client.pk in chosen)
    if rule.account_id is None and not chosen:
        return True
    if plan := finding.maintenance:
        # What a check of a storage finds may be another account's.
        return plan.pool is not None and _uses(rule, chosen, plan.pool)
    return _keeps_backups_in(rule, chosen, finding)


def _uses(rule: AlertRule, chosen: set[int], pool: Pool) -> bool:
    is_of_account = rule.account_id in (None, pool.account_id)
    return is_of_account and (not chosen or pool.clients.filter(pk__in=chosen).exists())


def _keeps_backups_in(rule: AlertRule, chosen: set[int], finding: Finding) -> bool:
    pools = Pool.objects.filter(storage=finding.storage)
    if rule.account_id:
        pools = pools.filter(account=rule.account_id)
    return (pools.filter(clients__in=chosen) if chosen else pools).exists()


@transaction.atomic
def _tell(rule: AlertRule, finding: Finding) -> None:
    # What a rule does not ask for is as good to it as no problem.
    if finding.event in rule.events:
        if _is_new(rule, finding):
            data = dict(finding.data)
            deliveries.add(rule, finding.event, finding.title, finding.text, data)
    elif (known := _ended(rule, finding)) and AlertEvent.RECOVERED in rule.events:
        was = {"was": known.event, "since": known.since.isoformat()}
        text = finding.text or f"The problem began at {known.since:%Y-%m-%d %H:%M} UTC."
        data = {**finding.data, **was}
        deliveries.add(rule, AlertEvent.RECOVERED, f"Recovered: {finding.title}", text, data)


def _is_new(rule: AlertRule, finding: Finding) -> bool:
    """Note a problem; return whether the rule did not know of it. Of several workers one does."""
    states = AlertState.objects.filter(rule=rule, subject=finding.subject)
    if states.exclude(event=finding.event).update(event=finding.event, since=timezone.now()):
        return True
    if states.exists():
        return False
    about = {name: getattr(finding, name) for name in ABOUT}
    try:
        with transaction.atomic():
            AlertState.objects.create(
                rule=rule, subject=finding.subject, event=finding.event, **about
            )
    except IntegrityError:  # another worker was faster, or the rule has just been deleted
        return False
    return True


def _ended(rule: AlertRule, finding: Finding) -> AlertState | None:
    """Return the problem that the rule knew of and that has ended, if there was one."""
    known = AlertState.objects.filter(rule=rule, subject=finding.subject).first()
    is_mine = known and AlertState.objects.filter(pk=known.pk).delete()[0]
    return known if is_mine else None
