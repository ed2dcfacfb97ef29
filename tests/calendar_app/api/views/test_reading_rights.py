"""What each kind of user may read: single, listed, searched, linked and as iCalendar."""

import pytest

from calendar_app.services import posts

from ...support.api_client import ALL, P, client_of, get
from ...support.factories import (
    CategoryFactory,
    EventFactory,
    TagFactory,
    UserFactory,
    VenueFactory,
)

pytestmark = pytest.mark.django_db

NOT_PUBLIC = ["draft", "pending", "private", "future"]


def clients(author):
    return {
        "public": client_of(),
        "reader": client_of(UserFactory()),
        "other author": client_of(role="Author"),
        "author": client_of(author),
        "editor": client_of(role="Editor"),
    }


def who_gets(clients, allowed):
    return {name for name, client in clients.items() if allowed(client)}


@pytest.mark.parametrize("status", NOT_PUBLIC)
def test_unpublished_events_are_read_by_their_author_and_editors(status):
    author = UserFactory(role="Author")
    event = EventFactory(status=status, author=author, title="Secret")
    users = clients(author)

    single = who_gets(users, lambda c: c.get(f"{P}/events/{event.pk}").status_code == 200)
    by_slug = who_gets(
        users, lambda c: c.get(f"{P}/events/by-slug/{event.slug}").status_code == 200
    )
    listed = who_gets(users, lambda c: get("/events", ALL, c).json()["total"])
    found = who_gets(
        users, lambda c: get("/events", {"search": "secret", **ALL}, c).json()["total"]
    )
    exported = who_gets(
        users, lambda c: b"Secret" in get("/events", {"format": "ics", **ALL}, c).content
    )

    assert single == by_slug == listed == found == exported == {"author", "editor"}


@pytest.mark.parametrize("status", NOT_PUBLIC)
def test_the_refusal_does_not_reveal_the_title(status):
    event = EventFactory(status=status, title="Secret")

    answer = get(f"/events/{event.pk}")

    assert (answer.status_code, answer.json()["code"]) == (403, "event-not-accessible")
    assert "Secret" not in answer.content.decode()


@pytest.mark.parametrize("method", ["get", "patch", "delete"])
@pytest.mark.parametrize("status", NOT_PUBLIC)
def test_the_slug_of_an_unpublished_event_looks_unused(method, status):
    EventFactory(status=status, title="Secret merger")
    author = client_of(role="Author")

    known, unknown = (
        getattr(author, method)(f"{P}/events/by-slug/{slug}") for slug in ("secret-merger", "none")
    )

    assert (known.status_code, unknown.status_code) == (404, 404)
    assert known.json()["code"] == unknown.json()["code"] == "rest-event-not-found"


def test_an_unpublished_venue_is_not_revealed_by_its_events():
    draft = VenueFactory(status="draft", name="Secret hall")
    event = EventFactory(venues=[draft, VenueFactory(name="Open hall")])

    record = get(f"/events/{event.pk}")
    exported = get(f"/events/{event.pk}", {"format": "ics"})
    filtered = get("/events", {"venue": draft.pk, **ALL})

    assert record.json()["venue"]["venue"] == "Open hall"
    assert "Secret" not in record.content.decode() + exported.content.decode()
    assert filtered.status_code == 400


def test_a_protected_event_asks_for_its_password():
    author = UserFactory(role="Author")
    event = EventFactory(password="sesame", author=author)
    address = f"{P}/events/{event.pk}"
    users = clients(author)

    without = who_gets(users, lambda c: c.get(address).status_code == 200)
    wrong = who_gets(users, lambda c: c.get(address, {"password": "x"}).status_code == 200)
    right = who_gets(users, lambda c: c.get(address, {"password": "sesame"}).status_code == 200)
    refused = client_of().get(address)

    assert without == wrong == {"author", "editor"}
    assert right == set(users)
    assert (refused.status_code, refused.json()["code"]) == (403, "event-password-protected")


@pytest.mark.parametrize("form", ["json", "ics"])
def test_a_protected_event_is_redacted_in_lists(form):
    EventFactory(
        password="sesame",
        title="Party",
        description="Hidden words",
        excerpt="Hidden words",
        cost="$99",
        website="https://hidden.example/",
        venues=[VenueFactory(name="Hidden hall")],
        categories=[CategoryFactory(name="Hidden kind")],
    )

    text = get("/events", {"format": form, **ALL}).content.decode().lower()
    editors = get("/events", {"format": form, **ALL}, client_of(role="Editor")).content.decode()

    assert "party" in text
    assert "hidden " not in text
    assert "hidden." not in text
    assert "99" not in text.partition("party")[2].partition("}")[0]
    assert "Hidden hall" in editors


def test_a_redacted_event_has_the_keys_of_any_other():
    EventFactory(password="sesame", description="x", cost="$99", venues=[VenueFactory()])

    event = get("/events", ALL).json()["events"][0]

    redacted = {
        "description": "", "excerpt": "", "cost": "", "website": "", "image": False,
        "categories": [], "tags": [], "venue": [], "organizer": [],
    }  # fmt: skip
    assert {key: event[key] for key in redacted} == redacted
    assert event["title"]


def test_a_protected_event_is_not_found_by_what_it_hides():
    category, venue = CategoryFactory(), VenueFactory(geo_lat=1, geo_lng=1)
    EventFactory(password="sesame", description="treasure", categories=[category], venues=[venue])
    queries = [
        {"search": "treasure"},
        {"categories": category.pk},
        {"venue": venue.pk},
        {"geoloc": "true"},
    ]

    public = [get("/events", {**query, **ALL}).json()["total"] for query in queries]
    editor = client_of(role="Editor")
    editors = [get("/events", {**query, **ALL}, editor).json()["total"] for query in queries]

    assert (public, editors) == ([0] * 4, [1] * 4)


def test_what_is_in_the_trash_is_in_no_list():
    editor = UserFactory(role="Editor")
    event = EventFactory(author=editor)
    posts.trash(event)

    totals = [get("/events", ALL, client).json()["total"] for client in clients(editor).values()]

    assert totals == [0] * 5


def test_hidden_events_are_read_by_address_and_left_out_of_lists():
    event = EventFactory(hide_from_listings=True)

    assert get(f"/events/{event.pk}").status_code == 200
    assert get("/events", ALL).json()["total"] == 0
    assert get("/events", {"search": event.title, **ALL}).json()["total"] == 0
    assert b"VEVENT" not in get("/events", {"format": "ics", **ALL}).content


@pytest.mark.parametrize("value", ["draft", "publish,draft", "trash", "any"])
def test_the_public_may_ask_for_published_events_only(value):
    answer = get("/events", {"status": value})

    assert answer.status_code == 400
    assert "status" in answer.json()["data"]["params"]


KEPT = [
    {"password": "sesame"},
    {"hide_from_listings": True},
    *({"status": status} for status in ("draft", "pending", "private", "future", "trash")),
]


@pytest.mark.parametrize("kept", KEPT)
@pytest.mark.parametrize("role", [None, "Contributor", "Author", "Editor"])
def test_terms_count_what_the_public_finds(kept, role):
    category, tag = CategoryFactory(parent=CategoryFactory()), TagFactory()
    EventFactory(categories=[category], tags=[tag], **kept)
    client = client_of(role=role)

    for collection, term in [("categories", category), ("tags", tag)]:
        listed = client.get(f"{P}/{collection}").json()
        everything = client.get(f"{P}/{collection}", {"hide_empty": 0}).json()[collection]
        record = client.get(f"{P}/{collection}/{term.pk}").json()
        assert (listed[collection], listed["total"]) == ([], 0)
        assert {found["count"] for found in [record, *everything]} == {0}


@pytest.mark.parametrize("kept", KEPT[:3])
def test_counts_follow_what_becomes_of_an_event(kept):
    tag = TagFactory()
    event = EventFactory(tags=[tag])
    sent = {"post_password" if name == "password" else name: kept[name] for name in kept}
    counts = []

    for change in (sent, {"post_password": "", "hide_from_listings": False, "status": "publish"}):
        client_of(role="Editor").patch(f"{P}/events/{event.pk}", change)
        counts.append(get(f"/tags/{tag.pk}").json()["count"])

    assert counts == [0, 1]
    assert get(f"/events/{event.pk}").json()["tags"][0]["count"] == 1
