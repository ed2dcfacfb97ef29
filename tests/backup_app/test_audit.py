import datetime as dt

import pytest
from django.utils import timezone

from backup_app import audit, upkeep
from backup_app.models import AuditEntry

pytestmark = pytest.mark.django_db

DAY = dt.timedelta(days=1)


def row(outcome, days):
    audit.note(account=None, login="x", address="", operation="login", target="/", outcome=outcome)
    made = AuditEntry.objects.latest("pk")
    AuditEntry.objects.filter(pk=made.pk).update(time=timezone.now() - days * DAY)
    return made


def test_only_old_guesses_are_forgotten():
    old = row(audit.Outcome.WRONG_LOGIN, 31)
    kept = {row(audit.Outcome.WRONG_LOGIN, 29), row(audit.Outcome.REFUSED, 400)}
    kept.add(row(audit.Outcome.DONE, 400))

    upkeep.tick()

    assert set(AuditEntry.objects.all()) == kept
    assert old not in kept


def test_a_few_are_forgotten_at_once(monkeypatch):
    monkeypatch.setattr(audit, "AT_ONCE", 2)
    for _ in range(3):
        row(audit.Outcome.WRONG_LOGIN, 31)

    assert [audit.forget_guesses() for _ in range(3)] == [2, 1, 0]
