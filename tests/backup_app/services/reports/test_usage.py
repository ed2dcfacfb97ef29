"""How much backups take, day by day."""

from datetime import timedelta

import pytest
from django.utils import timezone

from backup_app.jobs import periodic
from backup_app.models import Job, Usage
from backup_app.services.reports import usage

from ...support.estate import backup
from ...support.factories import ClientFactory, StorageFactory

pytestmark = pytest.mark.django_db


def rows():
    return [
        ((timezone.localdate() - row.day).days, row.protected_bytes, row.stored_bytes)
        for row in Usage.objects.order_by("day")
    ]


def add(days_ago, stored, **fields):
    day = timezone.localdate() - timedelta(days=days_ago)
    return Usage.objects.create(day=day, stored_bytes=stored, **fields)


@pytest.fixture
def place(account, storage):
    return {"account": account, "storage": storage}


def test_the_first_sample_also_tells_the_days_before_as_far_as_backups_are_left():
    client = ClientFactory()
    backup(client, hours_ago=72, size=300)
    backup(client, hours_ago=24, size=600)

    usage.note()

    assert rows() == [(3, 300, 100), (2, 300, 100), (1, 600, 300), (0, 600, 300)]


def test_a_day_has_one_sample_which_is_its_last():
    client = ClientFactory()
    backup(client, hours_ago=0, size=300)
    usage.note()
    backup(client, hours_ago=0, size=600)

    usage.note()
    usage.note()

    assert rows() == [(0, 600, 300)]


def test_a_sample_says_that_nothing_is_left():
    backup(ClientFactory(), hours_ago=0, size=300)
    usage.note()
    Job.objects.all().delete()

    usage.note()

    assert rows() == [(0, 0, 0)]


def test_workers_take_samples_by_themselves():
    backup(ClientFactory(), hours_ago=0, size=300)

    periodic.note_usage()

    assert rows() == [(0, 300, 100)]


def test_a_day_without_a_sample_is_as_the_day_before(place):
    add(3, 10, **place)
    add(1, 30, **place)

    points = usage.history(Usage.objects.all())

    assert [point.stored_bytes for point in points] == [10, 10, 30, 30]
    assert usage.history(Usage.objects.none()) == []


def test_growth_is_from_the_first_to_the_last_sample_of_a_month(place):
    for days_ago, stored in [(40, 9000), (10, 100), (5, 500), (0, 300)]:
        add(days_ago, stored, **place)
    add(0, 5, account=place["account"], storage=StorageFactory())

    assert usage.growth() == {place["storage"].pk: 20}


@pytest.mark.parametrize(
    ("free", "growth", "days"),
    [
        (100, 10, 10),
        (0, 10, 0),
        (100, 0, None),
        (100, -3, None),
        (None, 10, None),
        (100, None, None),
        (10**18, 1, None),
    ],
)
def test_a_storage_is_full_when_its_free_space_has_grown_over(free, growth, days):
    expected = None if days is None else timezone.localdate() + timedelta(days=days)

    assert usage.full_on(free, growth) == expected
