"""The examples of docs/alerts.md have what real messages have."""

import datetime as dt
import json
import re
from pathlib import Path

import pytest
from django.utils import timezone

from backup_app.alerts import conditions, deliveries, jobs, maintenance, summaries
from backup_app.models import AlertDelivery, AlertRule, Client, MaintenancePlan, MaintenanceRun
from backup_app.models.alert import AlertEvent

from ..support.answering_engine import answering_engine
from ..support.factories import ClientFactory, JobFactory

pytestmark = pytest.mark.django_db
PAGE = (Path(__file__).parents[3] / "docs/alerts.md").read_text()


def examples():
    """Return the messages of the page by their type."""
    blocks = re.findall(r"^    \{\n.*?^    \}\n", PAGE, re.MULTILINE | re.DOTALL)
    found = [json.loads(block) for block in blocks]
    return {each["type"]: each for each in found}


def shape(value):
    """Return the structure of a message; what it counts by name has any names."""
    if not isinstance(value, dict):
        return type(value).__name__ if isinstance(value, list) else "value"
    counts = {"clients", "jobs"}
    return {name: "counts" if name in counts else shape(each) for name, each in value.items()}


@pytest.fixture
def messages(mail_rule, settings):
    """A real message of each type."""
    settings.BACKUP_SITE_URL = "https://backup.example.org"
    now = timezone.now()
    client, overdue = ClientFactory(), ClientFactory()
    Client.objects.filter(pk=overdue.pk).update(created=now - dt.timedelta(days=9))
    times = {"client": client, "started": now, "ended": now}
    JobFactory(status="warnings", **times)
    backup = JobFactory(status="failed", **times)
    JobFactory(status="failed", type="verify", level=None, parent=backup, **times)
    jobs.look()
    with answering_engine(disk=(100, 5)):
        conditions.look()
    conditions.look()
    with answering_engine(disk=(100, 50)):
        conditions.look()
    plan = MaintenancePlan.objects.create(task="prune", pool=client.pool)
    maintenance.notice(MaintenanceRun.objects.create(plan=plan, status="failed"))
    AlertRule.objects.update(summary="daily", summarized=now - dt.timedelta(days=2))
    summaries.send_due()
    deliveries.send_test(mail_rule)
    return {each.event: each.body for each in AlertDelivery.objects.all()}


def test_there_is_an_example_of_each_event():
    assert examples().keys() == {*AlertEvent.values, "summary", "test"}


def test_they_have_what_real_messages_have(messages):
    assert {name: shape(each) for name, each in examples().items()} == {
        name: shape(each) for name, each in messages.items()
    }


def test_every_event_is_in_the_table():
    assert re.findall(r"^\| `([\w.]+)`", PAGE, re.MULTILINE) == AlertEvent.values
