import datetime as dt

import pytest
from django.utils import timezone

from backup_app.alerts import summaries
from backup_app.models import AlertDelivery, AlertRule
from tests.support.concurrency import call_together

from ..support.factories import ClientFactory, JobFactory

pytestmark = pytest.mark.django_db
MONDAY = dt.datetime(2027, 3, 1, 7, tzinfo=dt.UTC)


@pytest.fixture
def clock(time_machine):
    """A function that sets the time and makes what is due then."""

    def at(days, hours=0):
        time_machine.move_to(MONDAY + dt.timedelta(days=days, hours=hours), tick=False)
        return summaries.send_due()

    return at


@pytest.mark.parametrize(
    ("period", "made"), [("daily", [0, 1, 0, 1, 1]), ("weekly", [0, 1, 0, 0, 1]), ("", [0] * 5)]
)
def test_they_are_made_in_the_morning(mail_rule, clock, period, made):
    AlertRule.objects.update(summary=period)

    assert [clock(0), clock(0, 2), clock(0, 3), clock(1, 2), clock(7, 2)] == made


def test_one_says_what_ran_and_what_is_wrong(mail_rule, clock):
    AlertRule.objects.update(summary="daily")
    clock(0)
    good = ClientFactory(name="good")
    bad = ClientFactory(name="bad")
    now = timezone.now()
    times = {"started": now, "ended": now}
    JobFactory(client=good, status="completed", bytes=3000, stored_bytes=1000, **times)
    failed = JobFactory(client=bad, status="failed", message="The disk is full.", **times)

    clock(0, 2)

    delivery = AlertDelivery.objects.get()
    assert (delivery.event, delivery.title) == ("summary", "Backups: 1 problem")
    data = delivery.body["data"]
    assert data["clients"] == {"ok": 1, "waiting": 1}
    assert data["jobs"] == {"completed": 1, "failed": 1}
    assert (data["read"], data["stored"]) == (3000, 1000)
    assert data["text"].splitlines() == [
        "2 clients: 1 ok, 1 waiting.",
        "Jobs that ended since 2027-02-28 09:00 UTC: 1 completed, 1 failed.",
        "Backups read 3.0 kB and stored 1.0 kB.",
        f"Failed: backup {failed.pk} of bad: The disk is full.",
    ]


@pytest.mark.attack
def test_one_is_about_the_rules_account_and_clients_only(mail_rule, clock):
    mine, other = ClientFactory(name="mine"), ClientFactory(name="other")
    beside = ClientFactory(name="beside", account=mine.account, pool=mine.pool)
    AlertRule.objects.update(account=mine.account)

    def overdue():
        rule = AlertRule.objects.get()
        return summaries.summary(rule, timezone.now())[2]["overdue"]

    clock(999)
    assert overdue() == ["beside", "mine"]
    mail_rule.clients.add(beside)
    assert overdue() == ["beside"]
    assert other.name not in overdue()


def test_three_clients_take_as_many_queries_as_one(mail_rule, django_assert_max_num_queries):
    for _ in range(3):
        ClientFactory()

    with django_assert_max_num_queries(8):
        summaries.summary(mail_rule, timezone.now())


@pytest.mark.django_db(transaction=True)
def test_of_several_workers_one_makes_it():
    long_ago = timezone.now() - dt.timedelta(days=9)
    AlertRule.objects.create(name="a", target="a@b.org", summary="daily", summarized=long_ago)

    call_together(lambda number: summaries.send_due(), 3)

    assert AlertDelivery.objects.count() == 1
