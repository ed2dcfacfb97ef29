"""Where this interface is better than others of its kind on purpose, each point once."""

import datetime as dt

import pytest

from calendar_app.services import posts

from ..support.api_client import P, client_of, get
from ..support.factories import (
    CategoryFactory,
    EventFactory,
    OrganizerFactory,
    TagFactory,
    UserFactory,
    VenueFactory,
    make_image,
)

pytestmark = pytest.mark.django_db

ALL = {"start_date": "1999-01-01", "end_date": "9999-12-31"}
NEW = {"title": "Fair", "start_date": "2027-03-01 10:00", "end_date": "2027-03-01 12:00"}


@pytest.fixture
def editor():
    return client_of(role="Editor")


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


@pytest.mark.parametrize(
    "ends",
    [{"start_date": "2027-03-01 12:00"}, {"end_date": "2027-02-01"}],
)
def test_an_end_before_the_start_is_refused_naming_both(editor, ends):
    event = EventFactory()

    answer = editor.patch(f"{P}/events/{event.pk}", ends)

    assert answer.status_code == 400
    assert set(answer.json()["data"]["params"]) == {"start_date", "end_date"}


@pytest.mark.parametrize(
    "form",
    [
        lambda a, b: a.pk,
        lambda a, b: [a.pk, b.pk],
        lambda a, b: f"{a.pk},{b.pk}",
        lambda a, b: {"id": a.pk},
        lambda a, b: {"organizer": "New one"},
        lambda a, b: [{"organizer": "New one"}, {"organizer": "Another"}],
        lambda a, b: [a.pk, {"organizer": "New one"}, str(b.pk)],
    ],
)
def test_links_are_accepted_in_every_form(editor, form):
    sent = form(OrganizerFactory(), OrganizerFactory())
    number = len(sent) if isinstance(sent, list) else 1 + str(sent).count(",")

    answer = editor.post(f"{P}/events", {**NEW, "organizer": sent})

    assert answer.status_code == 201
    assert len(answer.json()["organizer"]) == number


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


def test_a_category_returns_to_the_top(editor):
    child = CategoryFactory(parent=CategoryFactory())

    answer = editor.patch(f"{P}/categories/{child.pk}", {"parent": 0})

    assert answer.json()["parent"] == 0


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


def test_include_ignores_all_date_filters():
    past = EventFactory(start_date=dt.datetime(2001, 1, 1))

    page = get("/events", {"include": past.pk, "starts_after": "2030-01-01"}).json()

    assert [event["id"] for event in page["events"]] == [past.pk]


def test_naive_filters_are_in_the_zone_of_the_site(settings):
    settings.CALENDAR_TIME_ZONE = "America/New_York"
    EventFactory(start_date=dt.datetime(2027, 3, 1, 10), timezone="America/New_York")
    totals = [
        get("/events", {"start_date": value, "strict_dates": "true"}).json()["total"]
        for value in ("2027-03-01 10:00", "2027-03-01T10:00:00Z", "2027-03-01T15:00:01Z")
    ]

    assert totals == [1, 1, 0]


def test_naive_writes_are_in_the_zone_of_the_event_and_offsets_count(editor):
    fields = {
        **NEW,
        "timezone": "Europe/Paris",
        "start_date": "2027-03-01 10:00",
        "end_date": "2027-03-01T10:30:00Z",
    }

    made = editor.post(f"{P}/events", fields).json()

    assert (made["utc_start_date"], made["start_date"]) == (
        "2027-03-01 09:00:00",
        "2027-03-01 10:00:00",
    )
    assert (made["utc_end_date"], made["end_date"]) == (
        "2027-03-01 10:30:00",
        "2027-03-01 11:30:00",
    )


@pytest.mark.parametrize("value", ["2027", "2027-02-30", "x"])
def test_an_unclear_date_is_refused(value):
    answer = get("/events", {"start_date": value})

    sentence = answer.json()["data"]["params"]["start_date"]
    assert answer.status_code == 400
    assert f"'{value}'" in sentence
    assert "start_date" in sentence
    assert "'2027-02-03 14:05:00'" in sentence


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


def test_who_you_are_is_checked_before_the_input():
    codes = [
        client.post(f"{P}/events", {"start_date": "nonsense"}).status_code
        for client in (client_of(), client_of(UserFactory()), client_of(role="Author"))
    ]

    assert codes == [401, 403, 400]


@pytest.mark.parametrize("path", ["/events", "/venues/1", "/tags/1", "", "/doc", "/images/1"])
def test_a_wrong_method_is_405_with_allow(path):
    answer = client_of(role="Editor").generic("TRACE", f"{P}{path}")

    assert (answer.status_code, answer.json()["code"]) == (405, "rest_method_not_allowed")
    assert "GET" in answer["Allow"] or "POST" in answer["Allow"]


def test_what_was_read_can_be_written_back(editor, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    event = EventFactory(
        title="Tom & Jerry",
        description="<p>Long</p>",
        excerpt="Short",
        cost="10-25",
        image=make_image(),
        timezone="Europe/Paris",
        featured=True,
        custom_fields={"a": [1, None]},
        venues=[VenueFactory(country="Spain", province="Sevilla")],
        organizers=[OrganizerFactory(), OrganizerFactory()],
        categories=[CategoryFactory(parent=CategoryFactory())],
        tags=[TagFactory()],
    )
    before = editor.get(f"{P}/events/{event.pk}").json()

    answer = editor.put(f"{P}/events/{event.pk}", before)

    after = editor.get(f"{P}/events/{event.pk}").json()
    assert answer.status_code == 200
    for key in ("modified", "modified_utc"):
        before.pop(key), after.pop(key)
    assert after == before


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


def test_editors_list_hidden_events(editor):
    hidden = EventFactory(hide_from_listings=True)

    lists = [
        get("/events", {**ALL, **extra}, client).json()["events"]
        for client, extra in [
            (editor, {}),
            (editor, {"hide_from_listings": "true"}),
            (client_of(), {"hide_from_listings": "true"}),
        ]
    ]

    assert [[event["id"] for event in found] for found in lists] == [[], [hidden.pk], []]


@pytest.mark.parametrize("path", ["/events", "/events/{pk}", "/categories"])
def test_conditional_requests_are_answered_with_304(path):
    path = path.format(pk=EventFactory().pk)
    first = get(path)

    by_tag = get(path, **{"If-None-Match": first["ETag"]})
    by_date = get(path, **{"If-Modified-Since": first["Last-Modified"]})

    assert (by_tag.status_code, by_tag.content) == (304, b"")
    assert by_date.status_code == 304


def test_a_mirror_follows_the_changes(editor):
    EventFactory()
    gone = EventFactory(start_date=dt.datetime(2001, 1, 1))
    since = (gone.modified_utc - dt.timedelta(seconds=1)).isoformat()
    editor.delete(f"{P}/events/{gone.pk}")

    page = get("/events", {"modified_after": since}).json()

    tombstone = page["events"][0]
    assert page["total"] == 2
    assert list(tombstone) == ["id", "global_id", "status", "modified_utc"]
    assert (tombstone["id"], tombstone["status"]) == (gone.pk, "trash")


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


def test_geoloc_and_ticketed_work(editor):
    here = VenueFactory(geo_lat=48.8566, geo_lng=2.3522)
    near = EventFactory(venues=[here], ticketed=True)
    EventFactory(venues=[VenueFactory()])
    queries = [
        {"geoloc": "true"},
        {"ticketed": "true"},
        {"geoloc_lat": 48.86, "geoloc_lng": 2.35},
    ]

    found = [get("/events", {**query, **ALL}).json()["events"] for query in queries]

    assert [[event["id"] for event in events] for events in found] == [[near.pk]] * 3
