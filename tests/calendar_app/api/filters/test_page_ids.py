"""The page of a list is the same, whichever way it is found."""

import pytest

from calendar_app.api.filters import page_ids
from calendar_app.api.filters.event import EventFilterSet
from calendar_app.demo.generate import generate
from calendar_app.lib import time_limit
from calendar_app.models import Category, Organizer, Tag, Venue
from tests.prerequisites import only_on

from ...support.filtering import filtered

pytestmark = [pytest.mark.django_db, only_on("sqlite")]

ALWAYS = "start_date=1999-01-01&end_date=9999-12-31"


@pytest.fixture(autouse=True)
def _impatient(monkeypatch):
    """The clock is looked at after each step of SQLite."""
    monkeypatch.setattr(time_limit, "STEPS", 1)


@pytest.mark.parametrize(
    ("name", "model"),
    [("categories", Category), ("tags", Tag), ("venue", Venue), ("organizer", Organizer)],
)
def test_both_ways_find_the_same(monkeypatch, name, model):
    generate(60)
    records = model.objects.order_by("pk").values_list("pk", flat=True)
    first, second, *_ = [pk for pk in records if plainly(f"{ALWAYS}&{name}={pk}", 0)]

    for query in (f"{name}={first}", f"{name}={first},{second}", f"{name}={first}&categories=1,2"):
        for start in (0, 3):
            expected = plainly(f"{ALWAYS}&{query}", start)
            for limits in ((60, 60), (-1, 60), (-1, -1)):
                monkeypatch.setattr(page_ids, "SORTING", limits[0])
                monkeypatch.setattr(page_ids, "WALKING", limits[1])
                assert read(f"{ALWAYS}&{query}", start) == expected


def test_walking_follows_the_index_of_the_list():
    generate(50)
    tag = Tag.objects.first()

    found = walking(f"{ALWAYS}&tags={tag.slug}")

    plan = found.values_list("pk", flat=True)[:10].explain()
    assert "calendar_event_list" in plan
    assert "CORRELATED" in plan
    assert "TEMP B-TREE" not in plan


def plainly(query, start):
    return list(filtered(EventFilterSet, query).qs.values_list("pk", flat=True)[start : start + 10])


def read(query, start):
    filterset = filtered(EventFilterSet, query)
    return page_ids.read(filterset, filterset.qs, start, start + 10)


def walking(query):
    filterset = filtered(EventFilterSet, query)
    assert filterset.is_valid(), filterset.errors
    return filterset.walking()
