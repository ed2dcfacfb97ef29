"""What an event's own fields accept; test_event_times and test_event_links have the rest."""

import pytest

from calendar_app.models import Event
from calendar_app.services.revision import current

from ...support.api_client import P, client_of
from ...support.factories import EventFactory, UserFactory
from ...support.writing import NEW, change_event, create, create_event, refused

pytestmark = pytest.mark.django_db

DEFAULTS = {
    "description": "",
    "excerpt": "",
    "slug": "fair",
    "image": False,
    "all_day": False,
    "timezone": "UTC",
    "cost": "",
    "show_map": True,
    "show_map_link": True,
    "hide_from_listings": False,
    "sticky": False,
    "featured": False,
    "categories": [],
    "tags": [],
    "venue": [],
    "organizer": [],
    "ticketed": False,
    "custom_fields": [],
}


def test_a_new_event_needs_a_title_and_two_dates():
    author = UserFactory(role="Author")

    made = create("events", NEW, client_of(author)).json()

    assert {name: made[name] for name in DEFAULTS} == DEFAULTS
    assert made["author"] == str(author.pk)
    assert made["website"] == made["url"]


def test_all_that_is_missing_is_named_at_once():
    answer = create("events", {"description": "x"})

    assert refused(answer, code="rest_missing_callback_param") == [
        "title",
        "start_date",
        "end_date",
    ]


@pytest.mark.parametrize("nothing", [None, "", "  ", []])
@pytest.mark.parametrize("name", ["title", "start_date", "end_date"])
def test_what_is_required_cannot_be_empty(name, nothing):
    event = EventFactory()

    for answer in (create_event(**{name: nothing}), change_event(event, **{name: nothing})):
        assert refused(answer) == {name: f"{name} cannot be empty."}


def test_a_title_of_markup_alone_is_empty():
    assert refused(create_event(title="<b></b>")) == {"title": "title cannot be empty."}


OPTIONAL = [
    ("description", "Long", ""),
    ("excerpt", "Short", ""),
    ("cost", "$12", ""),
    ("website", "https://example.org/", ""),
    ("show_map", False, True),
    ("show_map_link", False, True),
    ("hide_from_listings", True, False),
    ("sticky", True, False),
    ("featured", True, False),
    ("ticketed", True, False),
    ("all_day", True, False),
    ("timezone", "Asia/Tokyo", "UTC"),
    ("custom_fields", {"a": 1}, {}),
]


@pytest.mark.parametrize("nothing", [None, "", []])
@pytest.mark.parametrize(("name", "before", "after"), OPTIONAL)
def test_an_optional_field_is_cleared(name, before, after, nothing):
    event = EventFactory(**{name: before})

    answer = change_event(event, **{name: nothing})

    event.refresh_from_db()
    assert answer.status_code == 200
    assert getattr(event, name) == after


def test_a_boolean_is_cleared_by_the_null_of_a_form():
    event = EventFactory(show_map=False)

    assert change_event(event, show_map="null").json()["show_map"] is True


@pytest.mark.parametrize("nothing", [None, "", []])
def test_an_emptied_slug_is_made_from_the_title(nothing):
    event = EventFactory(title="Summer fair", slug="old")

    assert change_event(event, slug=nothing).json()["slug"] == "summer-fair"


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        *((value, True) for value in (True, "true", 1, "1", "yes", "on")),
        *((value, False) for value in (False, "false", "FALSE", 0, "0")),
    ],
)
def test_booleans_come_in_many_forms(sent, stored):
    assert create_event(featured=sent).json()["featured"] is stored


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("title", {"a": 1}, "title must be text, not {'a': 1}."),
        ("title", True, "title must be text, not True."),
        ("title", "a\0b", "title contains a NUL character."),
        ("description", "a\0b", "description contains a NUL character."),
        ("slug", "!!!", "slug needs at least one letter or digit; '!!!' has none."),
        ("slug", "x" * 201, "slug accepts at most 200 characters, not 201."),
        ("featured", "maybe", "featured must be true or false, not 'maybe'."),
        ("featured", {"a": 1}, "featured must be true or false, not {'a': 1}."),
        (
            "status",
            "live",
            "status must be one of publish, future, draft, pending, private, trash, not 'live'.",
        ),
        ("status", "trash", "A new event cannot be in the trash."),
        ("author", "me", "author must be the ID of one of the users, not 'me'."),
        ("author", 10**30, None),
        ("author", 999, "author refers to the user 999, which does not exist."),
        ("post_parent", 999, "post_parent refers to the event 999, which does not exist."),
        ("post_parent", "x", "post_parent must be the ID of one of the events, not 'x'."),
        ("image", 999, "image refers to the image 999, which does not exist."),
        ("image", True, None),
        ("image", "cat.png", None),
        ("image", "http://127.0.0.1/cat.png", None),
        ("image", "http://10.0.0.7/cat.png", None),
        ("image", "http://[::1]/cat.png", None),
        ("image", "ftp://example.org/cat.png", None),
        ("image", "http://example.org/a\0.png", None),
        ("image", {"url": 7.5}, None),
        ("cost", {"a": 1}, None),
        ("cost", True, None),
        ("cost", "x" * 300, None),
        ("cost", "a\0b", None),
        ("cost", ["1", "a\0b"], None),
        ("custom_fields", "text", "custom_fields must be a JSON object."),
        ("custom_fields", {"a\0": 1}, None),
        ("custom_fields", {"a": ["b\0"]}, None),
        ("custom_fields", {str(n): n for n in range(1001)}, None),
        ("post_password", "x" * 256, "post_password accepts at most 255 characters, not 256."),
    ],
)
def test_bad_input_is_refused_with_a_sentence(name, value, sentence):
    found = refused(create_event(**{name: value}))

    assert list(found) == [name]
    assert found[name].endswith(".")
    assert sentence in {None, found[name]}


@pytest.mark.parametrize(
    "address",
    [
        "example.org",
        "/fair",
        "ftp://example.org",
        "http://",
        "http:///x",
        "javascript:alert(1)",
        "http://a b/",
        "http://x:99999/",
        "https://[::1",
        'http://x/"><script>',
        "http://a\0b/",
    ],
)
def test_a_website_is_an_absolute_address(address):
    assert list(refused(create_event(website=address))) == ["website"]


@pytest.mark.parametrize(
    "address", ["https://example.org/a?b=c#d", "http://intranet/", "http://münchen.example/ü"]
)
def test_a_website_may_be_anywhere(address):
    assert create_event(website=address).json()["website"] == address


def test_all_that_is_wrong_is_said_at_once():
    answer = create_event(featured="x", website="x", start_date="x", venue="x")

    assert set(refused(answer)) == {"featured", "website", "start_date", "venue"}


def test_all_that_is_not_there_is_said_at_once():
    answer = create_event(venue=[998, 999], organizer=999, tags="999", image=999, post_parent=999)

    assert set(refused(answer)) == {"venue", "organizer", "tags", "image", "post_parent"}


def test_a_refused_request_leaves_nothing_behind():
    stamp = current().stamp

    refused(create_event(venue={"venue": "Hall"}, tags="New", image=999))

    assert not Event.objects.exists()
    assert current().stamp == stamp
    assert client_of().get(f"{P}/venues").json()["total"] == 0


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        (12, "$12"),
        ("12", "$12"),
        (0, "Free"),
        ("20$", "20$"),
        ("10-25", "$10 – $25"),
        ([25, "10"], "$10 – $25"),
        ("Pay what you can", "Pay what you can"),
    ],
)
def test_a_cost_comes_in_many_forms(sent, shown):
    assert create_event(cost=sent).json()["cost"] == shown


def test_what_only_the_service_says_is_ignored():
    extra = {
        "id": 987654321,
        "url": "x",
        "rest_url": "x",
        "global_id": 1,
        "modified": "x",
        "utc_start_date": "x",
        "start_date_details": {"year": "1"},
        "cost_details": 5,
        "json_ld": None,
        "venue_id": 9,
        "organizers": [9],
    }

    answer = create_event(**extra)

    assert answer.status_code == 201
    assert answer.json()["id"] != 987654321


def test_custom_fields_hold_any_json():
    fields = {"text": "a", "list": [1, 2.5, None, {"deep": True}]}

    assert create_event(custom_fields=fields).json()["custom_fields"] == fields


def test_custom_fields_are_limited_in_depth():
    deep = []
    for _ in range(20):
        deep = [deep]

    assert list(refused(create_event(custom_fields={"a": deep}))) == ["custom_fields"]


def test_a_password_is_stored_hashed_and_never_shown():
    made = create_event(post_password="open sesame").json()

    event = Event.objects.get()
    assert "post_password" not in made
    assert event.password != "open sesame"
    assert event.check_password("open sesame")


def test_a_password_is_removed_by_an_empty_one_and_stays_otherwise():
    event = EventFactory(password="open sesame")

    change_event(event, title="New")
    event.refresh_from_db()
    kept = event.is_protected
    change_event(event, post_password="")
    event.refresh_from_db()

    assert (kept, event.is_protected) == (True, False)


def test_an_event_becomes_part_of_another_and_leaves_it():
    series, event = EventFactory(), EventFactory()

    change_event(event, post_parent=str(series.pk))
    event.refresh_from_db()
    parent = event.parent
    change_event(event, post_parent=0)
    event.refresh_from_db()

    assert (parent, event.parent) == (series, None)


def test_an_event_is_no_part_of_itself():
    series = EventFactory()
    part = EventFactory(parent=series)

    answers = [change_event(series, post_parent=event.pk) for event in (series, part)]

    assert [refused(answer) for answer in answers] == [
        {"post_parent": f"Event {event.pk} is this event or part of it."}
        for event in (series, part)
    ]


def test_a_taken_slug_gets_a_number():
    EventFactory(title="Fair")

    slugs = [create_event().json()["slug"], create_event(slug="fair").json()["slug"]]

    assert slugs == ["fair-2", "fair-3"]


def test_the_slug_outlives_a_new_title():
    event = EventFactory(title="Fair")

    assert change_event(event, title="Market").json()["slug"] == "fair"


def test_a_request_changes_only_what_it_names_of_what_is_stored_by_then():
    event = EventFactory(cost="$5")
    Event.objects.filter(pk=event.pk).update(cost="$9")

    change_event(event, title="New")

    event.refresh_from_db()
    assert (event.title, event.cost) == ("New", "$9")


def test_a_form_may_hold_arrays_and_objects():
    fields = {**NEW, "venue[venue]": "Hall", "organizer[0][organizer]": "Ann", "tags[]": ["a", "b"]}

    made = client_of(role="Editor").post(f"{P}/events", fields, format="multipart").json()

    assert made["venue"]["venue"] == "Hall"
    assert [organizer["organizer"] for organizer in made["organizer"]] == ["Ann"]
    assert [tag["name"] for tag in made["tags"]] == ["a", "b"]
