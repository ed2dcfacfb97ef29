"""Nothing of what is kept from a reader stands in any answer, whatever that reader asks for."""

import datetime as dt
from html import unescape

import pytest
from django.core.files.base import ContentFile
from django.urls import reverse

from calendar_app.api.representations import Urls
from calendar_app.services import images, posts

from ..support.api_client import P, client_of
from ..support.factories import EventFactory, OrganizerFactory, UserFactory, VenueFactory
from ..support.pictures import photo

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media")]

STATUSES = ("private", "future", "trash")
SINCE = {"modified_after": "2000-01-01"}
QUERIES = {
    "events": [
        {},
        {"start_date": "1999-01-01", "end_date": "9999-12-31"},
        {"include": "1,2,3,4,5,6,7,8,9,10,11,12"},
        {"search": "sec"},
        {"hide_from_listings": "true"},
        {"geoloc": "true"},
        {"geoloc_lat": "10", "geoloc_lng": "10"},
        {"ends_after": "2000-01-01"},
        {"format": "ics", "ends_after": "2000-01-01"},
        {**SINCE, "format": "ics"},
        SINCE,
        {**SINCE, "search": "sec"},
    ],
    "venues": [{}, {"search": "sec"}, {"has_events": "true"}, {"has_events": "false"}, SINCE],
    "organizers": [{}, {"search": "sec"}, {"only_with_upcoming": "true"}, SINCE],
    "categories": [{"hide_empty": "0"}],
    "tags": [{"hide_empty": "0"}],
}


@pytest.fixture
def records():
    """Records that say "secret" wherever they are not public."""
    picture = images.store(ContentFile(photo(), "secret.png"), title="Secret")
    words = {
        "image": picture,
        "description": "Secret",
        "excerpt": "Secret",
        "website": "https://secret.example/",
    }
    found = []
    for status in STATUSES:
        for factory in (VenueFactory, OrganizerFactory):
            found.append(factory(name="Secret", phone="secret", **words))
        links = {"venues": [found[-2]], "organizers": [found[-1]]}
        found.append(EventFactory(title="Secret", cost="secret", **words, **links))
        # A place of its own is public, and so is what it says.
        open_venue = VenueFactory(name="Open", geo_lat=10, geo_lng=10)
        party = {"title": f"Party {status}", "password": "x", "cost": "secret"}
        found.append(EventFactory(**party, **words, venues=[found[-3], open_venue]))
        for record in found[-4:-1]:
            if status == "trash":
                posts.trash(record)
            else:
                record.status = status
                record.date = dt.datetime(2099, 1, 1)
                record.date_utc = record.date.replace(tzinfo=dt.UTC)
                record.save()
    return found


def answers(client):
    for collection, queries in QUERIES.items():
        for query in queries:
            yield client.get(f"{P}/{collection}", query)
    for path in ("", "/doc"):
        yield client.get(f"{P}{path}")


def answers_about(client, record):
    collection = f"{record._meta.model_name}s"
    for address in (record.pk, f"by-slug/{record.slug}"):
        for query in ({"password": "y"}, {"format": "ics"}):
            yield client.get(f"{P}/{collection}/{address}", query)
    yield client.get(f"{P}/images/{record.image_id}")
    yield client.get(Urls("").page(record))
    if collection == "events":
        for name in ("venues", "organizers", "categories", "tags"):
            yield client.get(f"{P}/{name}", {"event": record.pk, "hide_empty": "0"})
        yield client.get(f"{P}/events", {"post_parent": record.pk, "ends_after": "2000-01-01"})
    else:
        kind = record._meta.model_name
        yield client.get(f"{P}/events", {kind: record.pk, "ends_after": "2000-01-01"})


def secrets(answer):
    """Return where an answer says "secret", but for what it repeats of the question."""
    asked = answer.wsgi_request.get_full_path().lower()
    text = (
        unescape(answer.content.decode()).lower().replace(asked, "").replace("by-slug/secret", "")
    )
    text = text.replace("'secret", "")
    return [text[max(place - 80, 0) : place + 40] for place in [text.find("secret")] if place >= 0]


@pytest.mark.parametrize("role", [None, "Contributor", "Author"])
def test_no_answer_says_more_than_its_reader_may_know(role, records):
    client = client_of(role=role)

    said = [place for answer in answers(client) for place in secrets(answer)]
    for record in records:
        said += [place for answer in answers_about(client, record) for place in secrets(answer)]

    assert said == []


@pytest.mark.parametrize("role", ["Contributor", "Author"])
def test_no_page_of_the_admin_says_more_than_its_reader_may_know(role, records, client):
    client.force_login(UserFactory(role=role, is_staff=True))
    pages = []
    for model in ("event", "venue", "organizer", "image"):
        pages.append(client.get(reverse(f"admin:calendar_app_{model}_changelist")))
        export = reverse(f"admin:calendar_app_{model}_export")
        pages.append(client.post(export, {"format": "1", "resource": ""}))
    for record in records:
        for view in ("change", "history", "delete"):
            address = reverse(
                f"admin:calendar_app_{record._meta.model_name}_{view}", args=[record.pk]
            )
            pages.append(client.get(address, follow=True))
        image = reverse("admin:calendar_app_image_change", args=[record.image_id])
        pages.append(client.get(image, follow=True))
    for model, field in [("event", "image"), ("event", "parent"), ("eventvenue", "venue"),
                         ("eventorganizer", "organizer")]:  # fmt: skip
        query = {"app_label": "calendar_app", "model_name": model, "field_name": field}
        pages.append(client.get(reverse("admin:autocomplete"), query))

    assert {page.status_code for page in pages} <= {200, 403, 404}
    assert [place for page in pages for place in secrets(page)] == []


def test_an_editor_finds_all_of_it(records):
    client = client_of(role="Editor")

    assert all(
        secrets(client.get(f"{P}/{record._meta.model_name}s/{record.pk}"))
        for record in records
        if not record.is_trashed
    )
