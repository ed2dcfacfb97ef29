"""New events that a write stores together are as those that are stored one by one."""

import datetime as dt

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from calendar_app.models import Category, Change, Event, Status
from calendar_app.services import events, new_events
from calendar_app.services.counts import recount
from calendar_app.services.revision import part, writing

from ..support.factories import CategoryFactory, OrganizerFactory, TagFactory, VenueFactory

pytestmark = pytest.mark.django_db
START = dt.datetime(2027, 3, 1, 10)


def new(title="Fair", **fields):
    return Event(title=title, start_date=START, end_date=START, **fields)


@pytest.fixture
def links():
    """Records to link events to, some of them twice."""
    halls = [VenueFactory(name="North"), VenueFactory(name="South")]
    return {
        "venues": [halls[1], halls[0], halls[1]],
        "organizers": [OrganizerFactory()],
        "categories": [CategoryFactory(name="Music"), CategoryFactory(name="Free")],
        "tags": [TagFactory()],
    }


def stored_together(*made, **links):
    with writing(precise=True), new_events.together():
        for event in made:
            events.save(event, **links)
    return made


def described(event):
    """Return what is stored of an event and its history, but for what names this one."""
    linked = [
        list(event.venue_links.values_list("venue", "position")),
        list(event.organizer_links.values_list("organizer", "position")),
        *(
            set(getattr(event, name).values_list("pk", flat=True))
            for name in ("categories", "tags")
        ),
    ]
    kept = Change.objects.values("verb", "title", "values").get(kind="event", record_id=event.pk)
    own = {"id", "slug", "date", "date_utc", "modified", "modified_utc"}
    row = Event.objects.values().get(pk=event.pk)
    kept["values"] = {name: kept["values"][name] for name in kept["values"].keys() - own}
    return linked, kept, {name: row[name] for name in row.keys() - own}


def test_are_as_those_that_are_stored_one_by_one(links):
    alone = new()
    events.save(alone, **links)

    together = stored_together(new(), new(), **links)

    assert [described(event) for event in together] == [described(alone)] * 2
    assert [event.slug for event in (alone, *together)] == ["fair", "fair-2", "fair-3"]
    assert set(Category.objects.values_list("count", flat=True)) == {3}
    assert recount() == 0


def test_take_hardly_more_queries_for_many_than_for_one(links):
    def queries(number):
        with CaptureQueriesContext(connection) as done:
            stored_together(*(new(f"{number}-{n}") for n in range(number)), **links)
        return len(done)

    assert queries(10) == queries(1)


def fail_after(title):
    events.save(new(title))
    raise ZeroDivisionError


def test_are_none_if_the_block_fails():
    with pytest.raises(ZeroDivisionError), writing(precise=True), new_events.together():
        fail_after("Fair")

    events.save(new("Later"))
    assert [event.title for event in Event.objects.all()] == ["Later"]


def test_are_not_stored_when_their_part_is_refused():
    with writing(precise=True), new_events.together():
        events.save(new("Good"))
        with pytest.raises(ZeroDivisionError), part():
            fail_after("Refused")

    assert [event.title for event in Event.objects.all()] == ["Good"]


def test_are_published_when_it_is_time():
    later = timezone.now() + dt.timedelta(days=1)

    (event,) = stored_together(new(status=Status.FUTURE, date_utc=later, date=START))

    task = DBTaskResult.objects.get()
    assert (task.args_kwargs["args"], task.run_after) == (["event", event.pk], later)
