"""What was read can be written back: GET, PUT of the same body, GET again."""

import datetime as dt

import pytest

from calendar_app.models import Event
from calendar_app.services import events

from ...support.api_client import P, client_of
from ...support.factories import (
    CategoryFactory,
    EventFactory,
    OrganizerFactory,
    TagFactory,
    UserFactory,
    VenueFactory,
    make_image,
)

pytestmark = pytest.mark.django_db

CHANGED = {"modified", "modified_utc"}


@pytest.fixture(autouse=True)
def _media(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path


def stored(record):
    """Return what the database holds of a record, but for when it was last written."""
    record = type(record).objects.get(pk=record.pk)
    names = [field.name for field in record._meta.fields if field.name not in CHANGED]
    many = [list(getattr(record, f.name).all()) for f in record._meta.many_to_many]
    return {name: getattr(record, name) for name in names}, many


def rich_event(**fields):
    return EventFactory(
        author=UserFactory(),
        title="Tom & Jerry <3",
        description="<p>Long &amp; <b>bold</b></p>",
        excerpt="Short",
        cost="10 € – 25 €",
        image=make_image(),
        timezone="Europe/Paris",
        start_date=dt.datetime(2027, 10, 31, 2, 30),
        end_date=dt.datetime(2027, 10, 31, 4, 30),
        featured=True,
        show_map=False,
        sticky=True,
        ticketed=True,
        custom_fields={"a": [1, None, "x"]},
        parent=EventFactory(),
        password="open sesame",
        venues=[VenueFactory(country="Spain", province="Sevilla", image=make_image())],
        organizers=[OrganizerFactory(name="A, B"), OrganizerFactory(email="a@example.org")],
        categories=[CategoryFactory(name="Food, drink", parent=CategoryFactory())],
        tags=[TagFactory(name="2027"), TagFactory()],
        **fields,
    )


def venue():
    return VenueFactory(
        author=UserFactory(),
        description="<p>Old</p>",
        state="NY",
        province="Ontario",
        geo_lat=0,
        geo_lng=0.1,
        show_map=False,
        image=make_image(),
        website="http://intranet/",
    )


CASES = {
    "rich event": ("events", rich_event),
    "plain event": ("events", EventFactory),
    "scheduled event": ("events", lambda: rich_event(status="future", **later())),
    "three costs": ("events", lambda: EventFactory(cost="Free – 20$ – 30$")),
    "draft": ("events", lambda: rich_event(status="draft")),
    "all-day event": ("events", lambda: EventFactory(all_day=True, timezone="UTC+5.5")),
    "two venues": ("events", lambda: EventFactory(venues=[VenueFactory(), VenueFactory()])),
    "image to come": ("events", lambda: EventFactory(image_url="https://example.org/cat.png")),
    "venue": ("venues", venue),
    "plain venue": ("venues", VenueFactory),
    "organizer": ("organizers", lambda: OrganizerFactory(email="a@example.org", phone="+1 2")),
    "category": ("categories", lambda: CategoryFactory(parent=CategoryFactory(), description="x")),
    "tag": ("tags", lambda: TagFactory(name="a, b", slug="other")),
}


def later():
    date = dt.datetime(2099, 1, 1)
    return {"date": date, "date_utc": date.replace(tzinfo=dt.UTC)}


@pytest.mark.parametrize("method", ["put", "patch", "post"])
@pytest.mark.parametrize("case", CASES)
def test_what_was_read_is_written_back_without_a_change(case, method, settings):
    collection, make = CASES[case]
    record = make()
    client, address = client_of(role="Editor"), f"{P}/{collection}/{record.pk}"
    before, held = client.get(address).json(), stored(record)

    answer = getattr(client, method)(address, before)

    assert answer.status_code == 200
    assert stored(record) == held
    after = client.get(address).json()
    assert {key for key in after if after[key] != before[key]} <= CHANGED


def test_an_author_writes_back_what_was_read():
    author = UserFactory(role="Author")
    event = rich_event()
    Event.objects.filter(pk=event.pk).update(author=author)
    hidden = VenueFactory(status="draft", author=UserFactory())
    event.refresh_from_db()
    events.save(event, venues=[*event.venues.all(), hidden])
    client, address = client_of(author), f"{P}/events/{event.pk}"
    before, held = client.get(address).json(), stored(event)

    answer = client.put(address, before)

    assert answer.status_code == 200
    assert stored(event) == held


def test_a_copy_is_made_of_what_was_read():
    event = rich_event()
    client = client_of(role="Editor")
    read = client.get(f"{P}/events/{event.pk}").json()

    answer = client.post(f"{P}/events", read)

    copy = answer.json()
    own = {"id", "global_id", "global_id_lineage", "url", "rest_url", "slug", "categories", "tags"}
    assert answer.status_code == 201
    assert {key for key in copy if copy[key] != read[key]} <= CHANGED | own | {"venue", "organizer"}
    assert [term["id"] for term in copy["tags"]] == [term["id"] for term in read["tags"]]
    assert copy["venue"]["id"] == read["venue"]["id"]


def test_the_website_is_its_own_page_until_it_is_set():
    event = EventFactory(title="Fair")
    client, address = client_of(role="Editor"), f"{P}/events/{event.pk}"
    read = client.get(address).json()

    client.put(address, read | {"slug": "other"})

    event.refresh_from_db()
    assert (event.slug, event.website) == ("other", "")
