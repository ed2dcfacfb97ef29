"""What the metrics tell of maintenance and alerts."""

import datetime as dt

import pytest

from backup_app.alerts import deliveries
from backup_app.models import AlertDelivery, AlertRule, AlertState, MaintenancePlan
from backup_app.monitoring import upkeep

from ..support.factories import PoolFactory

pytestmark = pytest.mark.django_db
NOON = dt.datetime(2027, 3, 10, 12, tzinfo=dt.UTC)


def found():
    """Return the samples that are not 0, by name and labels."""
    return {
        (sample.name.removeprefix("backup_"), *sample.labels.values()): sample.value
        for family in upkeep.families()
        for sample in family.samples
        if sample.value
    }


def make_plan(*runs, **fields):
    pool = PoolFactory(name="daily")
    plan = MaintenancePlan.objects.create(task="prune", pool=pool, **fields)
    for hour, status in enumerate(runs):
        plan.runs.create(status=status, ended=NOON + dt.timedelta(hours=hour))
    return str(plan.pk), "prune", "daily"


def test_a_plan_that_found_problems_fails_until_it_is_done_well():
    failing = make_plan("failed", "completed", "problems")
    well = make_plan("problems", "completed")
    make_plan("failed", enabled=False)
    make_plan()
    success = "maintenance_last_success_timestamp_seconds"

    assert found() == {
        (success, *failing): NOON.timestamp() + 3600,
        (success, *well): NOON.timestamp() + 3600,
        ("maintenance_failing", *failing): 1,
    }


def test_messages_and_problems_are_counted():
    rules = [AlertRule.objects.create(name=name, target="a@b.org") for name in "ab"]
    for rule in rules:
        AlertState.objects.create(rule=rule, subject="backup of client 1", event="job.failed")
        deliveries.send_test(rule)
    AlertDelivery.objects.filter(rule=rules[0]).update(status="given up")

    assert found() == {
        ("alert_deliveries", "waiting"): 1,
        ("alert_deliveries", "given up"): 1,
        ("alert_problems", "job.failed"): 1,
    }


def test_more_plans_take_no_more_queries(django_assert_num_queries):
    for _ in range(3):
        make_plan("completed")

    with django_assert_num_queries(4):
        list(upkeep.families())
