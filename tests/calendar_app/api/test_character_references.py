"""Texts with HTML character references, as clients of other services write them."""

from io import StringIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.urls import reverse

from calendar_app.models import Category, Event, Organizer, Tag, Venue
from calendar_app.values.html import decoded

from ..support.api_client import P, client_of
from ..support.factories import CategoryFactory, EventFactory, TagFactory, UserFactory, VenueFactory
from ..support.ics import ics
from ..support.writing import change, create, create_event, refused

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Taiz&eacute;", "Taizé"),
        ("Wholeness &amp; Healing", "Wholeness & Healing"),
        ("&#8220;Hi&#8221; &#x1F389; &#038;", "“Hi” 🎉 &"),
        ("&amp;amp; &amp;eacute;", "&amp; &eacute;"),
        ("Rock&reggae, AT&T, R&copy, a & b;", "Rock&reggae, AT&T, R&copy, a & b;"),
        ("&notit; &; &#; &#x;", "&notit; &; &#; &#x;"),
        ("&#0;&#xD800;", "\ufffd\ufffd"),
    ],
)
def test_references_are_decoded_once(text, expected):
    assert decoded(text) == expected


@pytest.mark.parametrize(
    ("sent", "title"),
    [
        ("Taiz&eacute; &amp; more", "Taizé & more"),
        ("&amp;amp;", "&amp;"),
        ("I &lt;3 you", "I <3 you"),
        ("&lt;b&gt;bold&lt;/b&gt;", "bold"),
        ("a&#10;b", "a b"),
    ],
)
def test_a_title_reads_back_as_characters(sent, title):
    assert create_event(title=sent).json()["title"] == title


def test_every_name_is_decoded():
    place = {"venue": "Caf&eacute;", "address": "1 Rue de l&#8217;&Eacute;glise"}

    event = create_event(
        venue=place,
        organizer={"organizer": "Tom &amp; Jerry"},
        categories=["Wholeness &amp; Healing"],
        tags="R&amp;B, Jazz",
        cost=["10 &euro;", "20 &euro;"],
    ).json()

    assert (event["venue"]["venue"], event["venue"]["address"]) == ("Café", "1 Rue de l’Église")
    assert event["organizer"][0]["organizer"] == "Tom & Jerry"
    assert [term["name"] for term in event["categories"]] == ["Wholeness & Healing"]
    assert {term["name"] for term in event["tags"]} == {"R&B", "Jazz"}
    assert event["cost"] == "10 € – 20 €"


@pytest.mark.parametrize(
    ("fields", "slug"),
    [
        ({"title": "Taiz&eacute; &amp; more"}, "taize-more"),
        ({"title": "Fair", "slug": "wholeness-&amp;-healing"}, "wholeness-healing"),
    ],
)
def test_slugs_drop_them(fields, slug):
    assert create_event(**fields).json()["slug"] == slug


def test_known_names_are_found():
    venue, tag = VenueFactory(name="Café"), TagFactory(name="R&B")
    parent = CategoryFactory(name="Wholeness & Healing")

    event = create_event(venue={"venue": "Caf&eacute;"}, tags=["R&amp;B"]).json()
    again = create("categories", {"name": "wholeness &amp; healing"})

    assert (event["venue"]["id"], event["tags"][0]["id"]) == (venue.pk, tag.pk)
    refused(again, code="term_exists")
    assert again.json()["data"]["term_id"] == parent.pk


@pytest.mark.parametrize(
    ("factory", "collection", "name"),
    [
        (EventFactory, "events", "title"),
        (VenueFactory, "venues", "name"),
        (TagFactory, "tags", "name"),
    ],
)
def test_what_was_read_is_not_decoded_again(factory, collection, name):
    record = factory(**{name: "Say &eacute;"})
    client = client_of(role="Editor")
    read = client.get(f"{P}/{collection}/{record.pk}").json()

    client.put(f"{P}/{collection}/{record.pk}", read)

    record.refresh_from_db()
    assert getattr(record, name) == "Say &eacute;"


def test_a_password_stays_as_it_is_typed():
    event = EventFactory()

    change(event, {"post_password": "a&amp;b"})

    event.refresh_from_db()
    assert event.check_password("a&amp;b")


class TestAdmin:
    @pytest.fixture(autouse=True)
    def user(self, client):
        user = UserFactory(role="Editor", is_staff=True)
        client.force_login(user)
        return user

    @pytest.mark.parametrize(("kind", "model"), [("venue", Venue), ("organizer", Organizer)])
    def test_decodes_a_name_once(self, client, kind, model):
        fields = {"name": "&amp;eacute; &amp;", "status": "publish"}
        client.post(reverse(f"admin:calendar_app_{kind}_add"), fields)
        record = model.objects.get()
        assert (record.name, record.slug) == ("&eacute; &", "eacute")

        page = reverse(f"admin:calendar_app_{kind}_change", args=[record.pk])
        client.post(page, fields | {"name": record.name, "description": "New"})

        record.refresh_from_db()
        assert (record.name, record.description) == ("&eacute; &", "New")

    def test_finds_a_name_taken(self, client):
        CategoryFactory(name="Café")

        client.post(reverse("admin:calendar_app_category_add"), {"name": "Caf&eacute;"})

        assert Category.objects.count() == 1

    def test_imports_a_table_like_the_api(self, client):
        table = SimpleUploadedFile("t.csv", b"name\nR&amp;B\n", "text/csv")
        url = reverse("admin:calendar_app_tag_import")
        page = client.post(url, {"format": "0", "resource": "0", "import_file": table})
        confirm = page.context["confirm_form"].initial

        client.post(reverse("admin:calendar_app_tag_process_import"), confirm)

        assert [tag.name for tag in Tag.objects.all()] == ["R&B"]


def test_icalendar_is_plain_text(tmp_path):
    UserFactory(role="Editor", email="editor@example.org")
    path = tmp_path / "a.ics"
    path.write_bytes(ics("UID:a\nSUMMARY:Caf&eacute;\nLOCATION:R&amp;B\nDTSTART:20270301T100000Z"))

    call_command("import_ics", str(path), user="editor@example.org", stdout=StringIO())

    event = Event.objects.get()
    assert (event.title, event.venues.get().name) == ("Caf&eacute;", "R&amp;B")
