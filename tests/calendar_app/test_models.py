import datetime as dt

import pytest
from django.core import serializers
from django.core.exceptions import ValidationError

from calendar_app.models import Event, Revision, RoleGroup, Tombstone, WrongPassword

from .support.factories import CategoryFactory, EventFactory, VenueFactory

TEN = dt.datetime(2027, 3, 1, 10)
NINE = dt.datetime(2027, 3, 1, 9)


def errors_of(record):
    with pytest.raises(ValidationError) as refusal:
        record.clean()
    return refusal.value.message_dict


def test_an_event_that_ends_before_it_starts_is_refused_at_both_ends():
    event = EventFactory.build(start_date=TEN, end_date=NINE)

    sentence = "end_date '2027-03-01 09:00:00' is before start_date '2027-03-01 10:00:00'."
    assert errors_of(event) == {"start_date": [sentence], "end_date": [sentence]}


def test_ends_are_compared_as_instants():
    # 02:30 does not exist on that night in Paris: the start is 03:30, after the end.
    start = dt.datetime(2027, 3, 28, 2, 30)
    end = dt.datetime(2027, 3, 28, 3, 0)
    event = EventFactory.build(start_date=start, end_date=end, timezone="Europe/Paris")

    assert set(errors_of(event)) == {"start_date", "end_date"}


def test_an_all_day_event_may_have_its_hours_the_wrong_way_round():
    event = EventFactory.build(start_date=TEN, end_date=NINE, all_day=True)

    event.clean()

    assert (str(event.start_date), str(event.end_date)) == (
        "2027-03-01 00:00:00",
        "2027-03-01 23:59:59",
    )


def test_an_unknown_zone_is_refused():
    event = EventFactory.build(timezone="Mars/Olympus")

    assert set(errors_of(event)) == {"timezone"}


def test_an_event_without_times_leaves_that_to_the_fields():
    Event(title="x").clean()


@pytest.mark.parametrize(
    ("position", "name"),
    [
        ({"geo_lat": 1.0}, "geo_lng"),
        ({"geo_lng": 1.0}, "geo_lat"),
        ({"geo_lat": 90.5, "geo_lng": 0.0}, "geo_lat"),
        ({"geo_lat": 0.0, "geo_lng": -181.0}, "geo_lng"),
        ({"geo_lat": float("nan"), "geo_lng": 0.0}, "geo_lat"),
    ],
)
def test_a_position_is_whole_and_on_earth(position, name):
    assert set(errors_of(VenueFactory.build(**position))) == {name}


def test_a_position_at_the_edge_is_accepted():
    VenueFactory.build(geo_lat=-90.0, geo_lng=180.0).clean()


@pytest.mark.django_db
def test_a_category_cannot_stand_below_itself():
    top = CategoryFactory()
    middle = CategoryFactory(parent=top)
    top.parent = CategoryFactory(parent=middle)

    assert set(errors_of(top)) == {"parent"}


@pytest.mark.django_db
def test_a_category_may_move_below_another_branch():
    category = CategoryFactory()
    category.parent = CategoryFactory(parent=CategoryFactory())

    category.clean()


@pytest.mark.django_db
def test_a_category_may_move_to_another_branch():
    left, right = CategoryFactory(), CategoryFactory()
    child = CategoryFactory(parent=left)

    child.parent = right

    child.clean()


@pytest.mark.parametrize(
    ("record", "text"),
    [
        (Revision(stamp=7), "7"),
        (RoleGroup(role="Editor"), "Editor"),
        (Tombstone(kind="event", record_id=3), "event 3"),
        (WrongPassword(event=Event(title="Fair"), network="192.0.2.1"), "Fair from 192.0.2.1"),
    ],
)
def test_a_record_without_a_page_names_itself(record, text):
    assert str(record) == text


@pytest.mark.django_db
@pytest.mark.parametrize("kind", ["json", "xml"])
def test_local_times_survive_a_dump_of_the_data(kind):
    event = EventFactory(start_date=NINE, end_date=TEN)

    (loaded,) = serializers.deserialize(kind, serializers.serialize(kind, [event]))

    assert (loaded.object.start_date, loaded.object.date) == (NINE, event.date)
