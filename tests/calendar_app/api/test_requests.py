"""How requests come in and answers go out, whatever they are about."""

from io import BytesIO

import orjson
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from calendar_app.api.filters.event import EventFilterSet
from calendar_app.api.parsers import FormParser, JSONParser, TooLarge
from calendar_app.api.serializers import TagSerializer
from calendar_app.exceptions import RecordNotFound
from calendar_app.models import Venue

from ..support.api_client import ALL, P, client_of, get
from ..support.factories import (
    CategoryFactory,
    EventFactory,
    OrganizerFactory,
    TagFactory,
    VenueFactory,
)
from ..support.writing import NEW

pytestmark = pytest.mark.django_db


def test_addresses_work_with_and_without_a_slash(editor):
    made = editor.post(f"{P}/events/", NEW)
    changed = editor.put(f"{P}/events/{made.json()['id']}/", {"title": "x"})

    assert (made.status_code, changed.status_code) == (201, 200)
    assert client_of().get(f"{P}/").status_code == 200


@pytest.mark.parametrize("query", [{}, {"format": "ics"}, {"page": "x"}])
def test_a_browser_runs_nothing_that_an_answer_holds(settings, query):
    settings.MIDDLEWARE = []  # as in a project that has none for this

    response = get("/events", query)

    assert response["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'"


@pytest.mark.parametrize("slug", ["nothing", "a%00b", "%F0%9F%8E%89", "-" * 1000])
@pytest.mark.parametrize("kind", ["event", "venue", "organizer"])
def test_any_text_may_be_asked_for_as_a_slug(kind, slug):
    answer = get(f"/{kind}s/by-slug/{slug}")

    assert (answer.status_code, answer.json()["code"]) == (404, f"rest-{kind}-not-found")


@pytest.mark.parametrize(
    ("wanted", "shown"), [("xml", "xml"), ("", ""), ("x" * 1000, f"{'x' * 50}…")]
)
def test_an_unknown_format_is_refused(wanted, shown):
    answer = get("/events", {"format": wanted})

    assert answer.status_code == 400
    assert answer.json()["data"]["params"] == {
        "format": f"format must be one of json, ics, not '{shown}'."
    }
    assert get("/venues", {"format": wanted}).status_code == 200


def test_php_arrays_come_as_form(editor):
    body = (
        "title=Fair&start_date=2027-03-01&end_date=2027-03-02&tags[]=a&tags[]=b"
        "&venue[venue]=Hall&venue[city]=Lyon&organizer[0][organizer]=X&organizer[1][organizer]=Y"
    )

    answer = editor.generic(
        "POST", f"{P}/events", body, content_type="application/x-www-form-urlencoded"
    )

    made = answer.json()
    assert [term["name"] for term in made["tags"]] == ["a", "b"]
    assert (made["venue"]["venue"], made["venue"]["city"]) == ("Hall", "Lyon")
    assert [organizer["organizer"] for organizer in made["organizer"]] == ["X", "Y"]


def test_php_arrays_come_as_query():
    tags = [TagFactory(), TagFactory()]
    for tag in tags:
        EventFactory(tags=[tag])

    answer = client_of().get(
        f"{P}/events?tags[]={tags[0].pk}&tags[1]={tags[1].slug}&start_date=2027-01-01"
    )

    assert answer.json()["total"] == 2


def test_fields_trim_a_record_and_a_list():
    event = EventFactory(title="Jazz")

    fields = "title.rendered,cost_details.values"
    record = get(f"/events/{event.pk}", {"_fields": fields}).json()
    page = get("/events", {"_fields": "events.title,total", **ALL}).json()

    assert record == {"title": "Jazz", "cost_details": {"values": []}}
    assert page == {"events": [{"title": "Jazz"}], "total": 1}


def test_fields_may_be_an_array():
    event = EventFactory(title="Jazz")

    answer = client_of().get(f"{P}/events/{event.pk}?_fields[]=id&_fields[]=title")

    assert answer.json() == {"id": event.pk, "title": "Jazz"}


def test_a_page_of_any_size_is_a_number():
    EventFactory()

    page = get("/events", {"per_page": "9" * 40, **ALL})
    beyond = get("/events", {"page": "9" * 40, **ALL})

    assert page.json()["total"] == 1
    assert beyond.json()["code"] == "event-archive-page-not-found"


def test_an_invalid_page_is_refused_with_its_value():
    sentence = get("/events", {"page": "0"}).json()["data"]["params"]["page"]

    assert sentence == "page must be a whole number of 1 or more, not '0'."


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        ("/events", {"start_date": "x", "featured": "x", "categories": "none", "geoloc_lat": "1"}),
        ("/venues", {"event": "0", "has_events": "x"}),
        ("/organizers", {"search": "", "status": "x"}),
        ("/categories", {"parent": "x", "order": "x"}),
        ("/tags", {"hide_empty": "x", "include": "1"}),
    ],
)
def test_one_refusal_names_every_wrong_parameter_of_a_list(path, wrong):
    wrong |= {"page": "0", "per_page": "x"}

    answer = get(path, wrong)

    data = answer.json()["data"]
    assert answer.status_code == 400
    assert set(data["params"]) == set(data["details"]) == set(wrong)


def test_a_post_may_stand_for_another_method(editor):
    event = EventFactory()

    answer = editor.post(f"{P}/events/{event.pk}", headers={"X-HTTP-Method-Override": "DELETE"})

    assert (answer.status_code, answer.json()["status"]) == (200, "trash")


def test_missing_parameters_are_named_together(editor):
    answer = editor.post(f"{P}/events", {"start_date": "2027-03-01"})

    assert answer.status_code == 400
    assert answer.json()["code"] == "rest_missing_callback_param"
    assert answer.json()["data"] == {"status": 400, "params": ["title", "end_date"]}


@pytest.mark.parametrize(
    ("collection", "sent", "wrong"),
    [
        (
            "events",
            {**NEW, "featured": "maybe", "venue": 99, "author": 99, "image": 99, "tags": [99]},
            {"featured", "venue", "author", "image", "tags"},
        ),
        (
            "events",
            {**NEW, "timezone": "Mars", "post_parent": 99, "end_date": "2027-02-01"},
            {"timezone", "post_parent", "start_date", "end_date"},
        ),
        (
            "events",
            {**NEW, "status": "open", "venue": {"venue": "Hall", "website": "x", "image": 99}},
            {"status", "venue[0][website]", "venue[0][image]"},
        ),
        (
            "venues",
            {"venue": "Hall", "image": 99, "geo_lat": 1, "website": "x"},
            {"image", "geo_lng", "website"},
        ),
        (
            "organizers",
            {"organizer": "", "email": "x", "image": 99},
            {"organizer", "email", "image"},
        ),
        ("categories", {"name": "", "parent": 99, "slug": "/"}, {"name", "parent", "slug"}),
    ],
)
def test_one_refusal_names_every_wrong_field_of_a_body(editor, collection, sent, wrong):
    answer = editor.post(f"{P}/{collection}", sent)

    data = answer.json()["data"]
    assert (answer.status_code, answer.json()["code"]) == (400, "rest_invalid_param")
    assert set(data["params"]) == set(data["details"]) == wrong
    assert not Venue.objects.exists()


def test_one_refusal_of_a_change_names_every_wrong_field(editor):
    event = EventFactory()
    sent = {"post_parent": event.pk, "end_date": "2027-01-01", "website": "x", "categories": [99]}

    answer = editor.patch(f"{P}/events/{event.pk}", sent)

    assert set(answer.json()["data"]["params"]) == {*sent, "start_date"}


def test_what_is_wrong_is_named_beside_what_is_missing(editor):
    answer = editor.post(f"{P}/events", {"start_date": "x", "venue": 99})

    body = answer.json()
    assert (answer.status_code, body["code"]) == (400, "rest_missing_callback_param")
    assert body["data"]["params"] == ["title", "end_date"]
    assert set(body["data"]["details"]) == {"start_date", "venue"}
    assert body["message"] == (
        "Missing parameter(s): title, end_date. Invalid parameter(s): start_date, venue"
    )


def test_invalid_parameters_are_named_with_a_sentence_each(editor):
    answer = editor.post(f"{P}/events", {**NEW, "featured": "maybe", "website": "ftp://x"})

    data = answer.json()["data"]
    assert answer.json()["code"] == "rest_invalid_param"
    assert set(data["params"]) == set(data["details"]) == {"featured", "website"}
    assert list(data["details"]["website"]) == ["code", "message", "data"]
    assert data["details"]["website"]["message"] == data["params"]["website"]


@pytest.mark.parametrize("method", ["get", "post", "put", "patch", "delete"])
def test_an_unknown_route_is_404_for_every_method(method):
    answer = getattr(client_of(), method)(f"{P}/nothing/here")

    assert (answer.status_code, answer.json()["code"]) == (404, "rest_no_route")


@pytest.mark.parametrize(
    "body", [b"{", b"", b"[1]", b'"x"', b"null", b'{"title": "\\ud800"}', b"[" * 100_000, b"\xff"]
)
def test_broken_json_is_refused(editor, body):
    answer = editor.generic("POST", f"{P}/events", body, content_type="application/json")

    assert answer.status_code == 400
    assert answer.json()["code"] in {"rest_invalid_json", "rest_missing_callback_param"}


def test_bad_credentials_fail_public_reads_too():
    answer = get("/events", Authorization="Basic bm9ib2R5Om5vdGhpbmc=")

    assert answer.status_code == 401
    assert answer["WWW-Authenticate"].startswith("Basic")
    assert answer.json()["data"]["status"] == 401


def test_credentials_of_another_scheme_are_bad_ones():
    answer = get("/events", Authorization="Bearer anything")

    assert (answer.status_code, answer.json()["code"]) == (401, "rest_invalid_credentials")


@pytest.mark.parametrize("form", ["json", "multipart"])
def test_an_oversized_body_is_413(editor, form):
    fields = {**NEW, "description": "x" * 3_000_000}

    answer = editor.post(f"{P}/events", fields, format=form)

    assert (answer.status_code, answer.json()["code"]) == (413, "rest_payload_too_large")


def test_a_form_beyond_the_limit_of_the_project_is_413(editor, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 10

    answer = editor.post(f"{P}/events", NEW, format="multipart")

    assert (answer.status_code, answer.json()["code"]) == (413, "rest_payload_too_large")


@pytest.mark.parametrize("parser", [FormParser, JSONParser])
def test_more_bytes_than_the_content_length_says_are_refused(settings, parser):
    settings.CALENDAR_MAX_BODY_BYTES = 4

    with pytest.raises(TooLarge):
        parser().parse(BytesIO(b"12345"))


@pytest.mark.parametrize("collection", ["categories", "tags"])
def test_a_page_of_terms_past_the_last_is_empty(collection):
    answer = get(f"/{collection}", {"page": 9})

    assert (answer.status_code, answer.json()[collection]) == (200, [])


def test_a_record_that_is_deleted_while_it_is_written_is_unknown():
    tag = TagFactory()
    serializer = TagSerializer(tag, data={"name": "New"}, partial=True)
    serializer.is_valid(raise_exception=True)
    type(tag).objects.all().delete()

    with pytest.raises(RecordNotFound):
        serializer.save()


def test_a_form_with_too_many_fields_is_refused(editor):
    answer = editor.post(f"{P}/events", {f"f{n}": n for n in range(30_000)}, format="multipart")

    assert answer.status_code in {400, 413}
    assert answer.json()["data"]["status"] == answer.status_code


def test_an_unknown_content_type_is_415(editor):
    answer = editor.generic("POST", f"{P}/events", b"<x/>", content_type="application/xml")

    assert (answer.status_code, answer.json()["code"]) == (415, "rest_unsupported_media_type")


@pytest.mark.parametrize("accept", ["text/html", "application/xml", "image/*", "*/*", "nonsense"])
def test_the_answer_is_json_whatever_else_is_accepted(accept):
    answer = get("/events", Accept=accept)

    assert answer["Content-Type"].startswith("application/json")


@pytest.mark.parametrize(
    ("accept", "answered"),
    [
        ("text/calendar", "text/calendar"),
        ("text/calendar, */*;q=0.1", "text/calendar"),
        ("application/json;q=0.5, text/calendar", "text/calendar"),
        ("text/calendar;q=0.1, application/json", "application/json"),
    ],
)
def test_the_format_is_the_one_preferred(accept, answered):
    assert get("/events", Accept=accept)["Content-Type"].startswith(answered)


def test_errors_of_icalendar_requests_are_json():
    answer = get("/events", {"format": "ics", "page": "x"})

    assert answer.status_code == 400
    assert answer["Content-Type"].startswith("application/json")


# Any text can be searched for; a page past the end is 404, and a large per_page means the most.
@pytest.mark.parametrize("name", ["page", "per_page", *EventFilterSet.base_filters])
def test_an_invalid_value_is_refused_naming_the_parameter(name):
    EventFactory()
    values = {"nonsense", "a\x00b", "-1", "9" * 40, "٣", "", "1e3x", "%s", "9%"}
    if name in {"page", "per_page", "include"}:
        values -= {"9" * 40}
    elif name in {"geoloc_lat", "geoloc_lng"}:
        values -= {"-1"}
    elif name == "search":
        values = {"a\x00b", ""}
    other = {"geoloc_lng": "0"} if name == "geoloc_lat" else {}

    for value in values:
        answer = get("/events", {name: value, **other})
        assert answer.status_code == 400, (value, answer.content)
        assert name in answer.json()["data"]["params"]


@pytest.mark.parametrize("name", ["include", "categories", "tags", "venue", "organizer"])
def test_ten_thousand_ids_are_refused_without_looking_them_up(name, django_assert_max_num_queries):
    ids = ",".join(map(str, range(1, 10_001)))

    with django_assert_max_num_queries(3):
        answer = get("/events", {name: ids})

    assert answer.status_code == 400
    assert name in answer.json()["data"]["params"]


@pytest.mark.parametrize("name", ["venue", "organizer", "categories", "tags"])
def test_ten_thousand_links_are_refused_without_looking_them_up(
    editor, name, django_assert_max_num_queries
):
    with django_assert_max_num_queries(20):
        answer = editor.post(f"{P}/events", {**NEW, name: list(range(1, 10_001))})

    assert answer.status_code == 400
    assert name in answer.json()["data"]["params"]


@pytest.mark.parametrize("path", ["/events", "/venues", "/organizers", "/categories", "/tags"])
def test_a_huge_search_is_refused_without_searching(path, django_assert_max_num_queries):
    with django_assert_max_num_queries(3):
        answer = get(path, {"search": "x" * 1_000_000})

    assert answer.status_code == 400
    assert "search" in answer.json()["data"]["params"]


@pytest.mark.parametrize("path", ["/events/{n}", "/venues/{n}", "/organizers/{n}", "/tags/{n}"])
def test_a_huge_id_is_unknown(path):
    assert get(path.format(n="9" * 30)).status_code == 404


def test_nul_bytes_in_a_body_are_refused(editor):
    body = orjson.dumps({**NEW, "title": "a\x00b", "custom_fields": {"a\x00": "b"}})

    answer = editor.generic("POST", f"{P}/events", body, content_type="application/json")

    assert answer.status_code == 400
    assert set(answer.json()["data"]["params"]) == {"title", "custom_fields"}


def test_a_cached_answer_expires_with_the_next_write():
    EventFactory()
    before = get("/events", ALL)
    again = get("/events", ALL)
    EventFactory()
    after = get("/events", ALL)

    assert again.content == before.content
    assert again["X-TEC-Total"] == "1"
    assert (after.json()["total"], after["ETag"] != before["ETag"]) == (2, True)


def test_options_names_the_methods():
    answer = client_of().options(f"{P}/events")

    assert answer.status_code == 200
    assert "POST" in answer["Allow"]


@pytest.mark.parametrize("role", [None, "Editor", "Author"])
@pytest.mark.parametrize("path", ["/events", "/venues", "/organizers", "/categories", "/tags"])
def test_a_list_takes_as_many_queries_for_three_rows_as_for_one(path, role):
    client = client_of(role=role)
    client.get(f"{P}{path}")  # asks for the user's permissions, once
    counts = []
    for rows in (1, 2):
        for _ in range(rows):
            make_linked_event()
        with CaptureQueriesContext(connection) as queries:
            page = client.get(f"{P}{path}", ALL if path == "/events" else {}).json()
        counts.append(len(queries))

    assert len(page[path[1:]]) >= 3
    assert counts[0] == counts[1]
    assert counts[1] <= 9


def make_linked_event():
    EventFactory(
        venues=[VenueFactory(), VenueFactory()],
        organizers=[OrganizerFactory(), OrganizerFactory()],
        categories=[CategoryFactory(parent=CategoryFactory())],
        tags=[TagFactory(), TagFactory()],
    )
