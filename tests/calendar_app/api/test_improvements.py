"""Where this interface is better than others of its kind on purpose, each point once."""

import pytest

from calendar_app.services import posts

from ..support.api_client import ALL, P, client_of, get
from ..support.factories import (
    CategoryFactory,
    EventFactory,
    OrganizerFactory,
    TagFactory,
    UserFactory,
    VenueFactory,
)
from ..support.writing import NEW

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("method", ["post", "put", "patch"])
def test_every_update_is_partial(editor, method):
    organizer = OrganizerFactory()
    event = EventFactory(
        status="draft", featured=True, cost="$12", timezone="Europe/Paris", organizers=[organizer]
    )
    before = editor.get(f"{P}/events/{event.pk}").json()

    getattr(editor, method)(f"{P}/events/{event.pk}", {"title": "New"})

    after = editor.get(f"{P}/events/{event.pk}").json()
    changed = {key for key in after if after[key] != before[key]}
    assert changed <= {"title", "modified", "modified_utc", "json_ld"}
    assert after["title"] == "New"


def test_either_end_may_be_sent_alone(editor):
    event = EventFactory()

    answer = editor.patch(f"{P}/events/{event.pk}", {"start_date": "2027-03-01 08:30"}).json()

    assert answer["start_date"] == "2027-03-01 08:30:00"
    assert answer["end_date"] == "2027-03-01 11:00:00"


@pytest.mark.parametrize("nothing", [[], "", None])
def test_optional_fields_are_cleared(editor, nothing):
    parent = EventFactory()
    event = EventFactory(
        venues=[VenueFactory()],
        organizers=[OrganizerFactory()],
        categories=[CategoryFactory()],
        tags=[TagFactory()],
        description="Old",
        parent=parent,
        website="https://example.org/",
    )
    names = ["venue", "organizer", "categories", "tags"]
    texts = ["description", "website", "post_parent"] if nothing != [] else []

    answer = editor.patch(f"{P}/events/{event.pk}", dict.fromkeys(names + texts, nothing))

    event.refresh_from_db()
    assert answer.status_code == 200
    assert [answer.json()[name] for name in names] == [[], [], [], []]
    assert (event.description, event.website, event.parent) == (
        ("Old", "https://example.org/", parent) if nothing == [] else ("", "", None)
    )


def test_links_to_other_pages_keep_every_filter(editor):
    music, tag = CategoryFactory(slug="music"), TagFactory(slug="free")
    for _ in range(3):
        EventFactory(title="Jazz & more", categories=[music], tags=[tag])
    filters = {
        "categories": "music",
        "tags": "free",
        "strict_dates": "true",
        "search": "jazz &",
        "start_date": "2027-01-01T00:00:00+00:00",
        "per_page": 1,
    }

    page = get("/events", {**filters, "page": 2}).json()

    for name in ("rest_url", "next_rest_url", "previous_rest_url"):
        query = page[name].partition("?")[2]
        for part in ("categories=music", "tags=free", "strict_dates=true", "search=jazz%20%26",
                     "start_date=2027-01-01T00%3A00%3A00%2B00%3A00", "per_page=1"):  # fmt: skip
            assert part in query
    assert client_of().get(page["next_rest_url"]).json()["total"] == 3


def test_totals_describe_an_empty_search():
    EventFactory(title="Jazz")

    page = get("/events", {"search": "opera", **ALL}).json()

    assert (page["events"], page["total"], page["total_pages"]) == ([], 0, 0)


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/events/999", "rest-event-not-found"),
        ("/events/by-slug/none", "rest-event-not-found"),
        ("/venues/999", "rest-venue-not-found"),
        ("/venues/by-slug/none", "rest-venue-not-found"),
        ("/organizers/999", "rest-organizer-not-found"),
        ("/organizers/by-slug/none", "rest-organizer-not-found"),
        ("/categories/999", "rest-category-not-found"),
        ("/tags/999", "rest-tag-not-found"),
        ("/images/999", "rest-image-not-found"),
    ],
)
def test_what_is_unknown_is_404_everywhere(path, code):
    answer = get(path)

    assert (answer.status_code, answer.json()["code"]) == (404, code)


@pytest.mark.parametrize(
    ("factory", "collection"),
    [(EventFactory, "events"), (VenueFactory, "venues"), (OrganizerFactory, "organizers")],
)
def test_what_is_in_the_trash_is_gone_until_a_writer_restores_it(factory, collection):
    record = factory()
    posts.trash(record)
    author, editor = client_of(role="Author"), client_of(role="Editor")
    address = f"{P}/{collection}/{record.pk}"

    read = client_of().get(address)
    refused = author.patch(address, {"status": "publish"})
    other = editor.patch(address, {"description": "x"})
    restored = editor.patch(address, {"status": "publish"})

    assert read.json()["code"] == f"{collection[:-1]}-no-longer-available"
    assert [a.status_code for a in (read, refused, other, restored)] == [410, 403, 410, 200]
    assert client_of().get(address).status_code == 200


@pytest.mark.parametrize("path", ["/events", "/venues/1", "/tags/1", "", "/doc", "/images/1"])
def test_a_wrong_method_is_405_with_allow(path):
    answer = client_of(role="Editor").generic("TRACE", f"{P}{path}")

    assert (answer.status_code, answer.json()["code"]) == (405, "rest_method_not_allowed")
    assert "GET" in answer["Allow"] or "POST" in answer["Allow"]


def test_titles_are_plain_text_and_descriptions_sanitised_html(editor):
    fields = {
        **NEW,
        "title": "Tom & Jerry’s “party”",
        "description": "<p>Hi <b>you</b></p><script>alert(1)</script>",
    }

    made = editor.post(f"{P}/events", fields).json()

    assert made["title"] == "Tom & Jerry’s “party”"
    assert made["description"] == "<p>Hi <b>you</b></p>"


@pytest.mark.parametrize("method", ["patch", "delete"])
def test_rights_are_the_same_by_slug_and_the_path_names_the_object(method):
    event, other = EventFactory(author=UserFactory()), EventFactory()
    author = client_of(role="Author")

    by_id = getattr(author, method)(f"{P}/events/{event.pk}", {"title": "x", "id": other.pk})
    by_slug = getattr(author, method)(f"{P}/events/by-slug/{event.slug}", {"title": "x"})

    assert (by_id.status_code, by_slug.status_code) == (403, 403)


def test_totals_are_exposed_to_browsers():
    answer = get("/events", ALL, Origin="https://somewhere.example")

    exposed = {name.strip() for name in answer["Access-Control-Expose-Headers"].split(",")}
    assert {"X-TEC-Total", "X-TEC-TotalPages", "Link"} <= exposed
    assert answer["Access-Control-Allow-Origin"] == "*"


@pytest.mark.parametrize("path", ["/events", "/events/{pk}", "/categories"])
def test_conditional_requests_are_answered_with_304(path):
    path = path.format(pk=EventFactory().pk)
    first = get(path)

    by_tag = get(path, **{"If-None-Match": first["ETag"]})
    by_date = get(path, **{"If-Modified-Since": first["Last-Modified"]})

    assert (by_tag.status_code, by_tag.content) == (304, b"")
    assert by_date.status_code == 304


@pytest.mark.parametrize(
    ("params", "headers"), [({"format": "ics"}, {}), ({}, {"Accept": "text/calendar"})]
)
def test_a_query_comes_as_icalendar(params, headers):
    EventFactory(title="Jazz")
    EventFactory(title="Opera")

    answer = get("/events", {"search": "jazz", **params, **ALL}, **headers)

    text = answer.content.decode()
    assert answer["Content-Type"].startswith("text/calendar")
    assert (text.count("BEGIN:VEVENT"), "SUMMARY:Jazz" in text) == (1, True)
