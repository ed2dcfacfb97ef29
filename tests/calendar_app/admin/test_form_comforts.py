"""What the form of an event does for those who fill it in."""

import datetime as dt
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from calendar_app.admin.forms import categories
from calendar_app.admin.forms.prose import as_text
from calendar_app.models import Event, Organizer, Status, Venue
from calendar_app.services import events, posts

from ..support.admin_users import as_role
from ..support.factories import (
    CategoryFactory,
    EventFactory,
    OrganizerFactory,
    TagFactory,
    VenueFactory,
)
from .test_events import ADD, change_url, errors, page, saved

pytestmark = pytest.mark.django_db


def seen(client, event):
    """Return the version that the form of an event sends back."""
    return client.get(change_url(event)).context["adminform"].form["seen"].value()


def test_who_saves_after_somebody_else_is_shown_both_versions_first(client, user):
    event = EventFactory(title="Fair", author=user)
    opened = seen(client, event)
    Event.objects.filter(pk=event.pk).update(title="Fair <b>of</b> the others")

    refused = errors(client, change_url(event), title="My fair", seen=opened)

    assert "Somebody else has saved this record" in refused["__all__"][0]
    theirs = "“Fair &lt;b&gt;of&lt;/b&gt; the others”"
    row = f'<th scope="row">Title</th><td>{theirs}</td><td>“My fair”</td>'
    assert row in refused["__all__"][0]
    assert Event.objects.get().title == "Fair <b>of</b> the others"
    assert f'value="{seen(client, event)}"' in _refusal(client, event, opened)
    assert saved(client, change_url(event), title="My fair", seen=seen(client, event))
    assert Event.objects.get().title == "My fair"


def _refusal(client, event, opened):
    return client.post(change_url(event), page(title="My fair", seen=opened)).content.decode()


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("One.\r\nTwo.\r\n\r\nThree.", "<p>One.<br>Two.</p>\n\n<p>Three.</p>"),
        ("Tom & Jerry <3", "Tom &amp; Jerry &lt;3"),
        ("<p>Kept as <em>it</em> is</p>", "<p>Kept as <em>it</em> is</p>"),
        ("", ""),
    ],
)
def test_typed_line_breaks_become_paragraphs(client, user, typed, stored):
    assert saved(client, reverse(ADD), description=typed).description == stored


@pytest.mark.parametrize(
    "html",
    [
        "<p>One.<br>Two.</p>\n\n<p>Three &amp; four.</p>",
        "<p>One.</p><p>Two.</p>",
        "Without\ntags &amp; so on",
        "<ul><li>A list</li></ul>",
        "<p>&lt;b&gt;</p>",
    ],
)
def test_a_description_that_is_not_edited_stays_as_it_was(client, user, html):
    event = EventFactory(description=html, author=user)
    form = client.get(change_url(event)).context["adminform"].form
    shown = form["description"].field.widget.format_value(html)

    assert saved(client, change_url(event), description=shown).description == html


def test_plain_paragraphs_are_shown_without_tags():
    assert as_text("<p>One.<br>Two.</p>\n<p>Three &amp; four.</p>") == (
        "One.\nTwo.\n\nThree & four."
    )
    assert as_text("<p>An <b>old</b> one</p>") == "<p>An <b>old</b> one</p>"


def test_a_venue_and_an_organizer_are_made_by_name(client, user):
    park = VenueFactory(name="Park")

    event = saved(client, reverse(ADD), new_venue="Old <b>Mill</b>", new_organizer="Jazz Club")
    again = saved(client, change_url(event), venues=[], new_venue="PARK")

    assert [venue.name for venue in event.venues.all()][-1:] == ["Park"]
    assert park in again.venues.all()
    assert (Venue.objects.count(), Organizer.objects.count()) == (2, 1)
    assert Venue.objects.get(name="Old Mill").author == user


@as_role("Author")
def test_a_draft_venue_of_another_is_not_found_by_its_name(client, user):
    VenueFactory(name="Secret bar", status=Status.DRAFT)

    event = saved(client, reverse(ADD), new_venue="Secret bar")

    assert event.venues.get().author == user


def test_a_copy_is_a_draft_with_the_same_links_at_another_time(client, user):
    event = EventFactory(
        title="Fair",
        end_date=dt.datetime(2027, 3, 2, 11),
        venues=[VenueFactory(), VenueFactory()],
        organizers=[OrganizerFactory()],
        categories=[CategoryFactory()],
        tags=[TagFactory()],
        custom_fields={"a": 1},
    )
    Event.objects.filter(pk=event.pk).update(source_id="x")
    address = reverse("admin:calendar_app_event_duplicate", args=[event.pk])
    assert "2027-03-01 10:00" in client.get(address).content.decode()

    response = client.post(address, {"start": "+1 week", "seen": event.start_date.isoformat()})

    copy = Event.objects.latest("pk")
    assert response.url == change_url(copy)
    assert (str(copy.start_date), str(copy.end_date)) == (
        "2027-03-08 10:00:00",
        "2027-03-09 11:00:00",
    )
    assert (copy.status, copy.author, copy.source_id) == (Status.DRAFT, user, None)
    assert (copy.slug, copy.custom_fields) == ("fair-2", {"a": 1})
    for name in ("venues", "organizers", "categories", "tags"):
        assert [*getattr(copy, name).all()] == [*getattr(event, name).all()]


def test_a_copy_that_would_end_too_late_is_refused(client, user):
    event = EventFactory()
    address = reverse("admin:calendar_app_event_duplicate", args=[event.pk])
    sent = {"start": "9999-12-31 23:30", "seen": event.start_date.isoformat()}

    assert "it would end too late" in client.post(address, sent).content.decode()
    assert Event.objects.count() == 1


@pytest.mark.parametrize("name", ["duplicate", "preview"])
def test_pages_of_an_event_in_the_trash_or_of_none_are_not_found(client, user, name):
    event = EventFactory()
    posts.trash(event)

    for pk in (event.pk, 999, "x"):
        assert client.get(f"/admin/calendar_app/event/{pk}/{name}/").status_code == 404


@as_role("Author")
def test_what_may_not_be_read_is_not_copied(client, user):
    event = EventFactory(status=Status.DRAFT)
    address = reverse("admin:calendar_app_event_duplicate", args=[event.pk])

    assert client.post(address, {"start": "+1 week", "seen": "2027-03-01"}).status_code == 404
    assert Event.objects.count() == 1


def test_a_draft_is_previewed_where_its_page_will_be(client, user):
    event = EventFactory(title="Fair", status=Status.DRAFT)
    address = client.get(reverse("admin:calendar_app_event_preview", args=[event.pk])).url

    assert client.get(address).status_code == 200
    client.logout()
    assert client.get(address).status_code == 404


def test_moving_and_copying_keep_an_hour_that_occurs_twice():
    start = dt.datetime(2027, 10, 31, 2, 30)
    event = EventFactory(timezone="Europe/Paris", start_date=start)

    events.move(event, start + dt.timedelta(days=1), seen=start)

    assert str(event.start_utc) == "2027-11-01 01:30:00+00:00"


def test_categories_are_a_tree_of_checkboxes_unless_they_are_too_many(client, user, monkeypatch):
    music = CategoryFactory(name="Music")
    CategoryFactory(name="Art")
    jazz = CategoryFactory(name="Jazz", parent=music)
    event = EventFactory(categories=[jazz])

    def boxes():
        field = client.get(change_url(event)).context["adminform"].form["categories"]
        groups = field.field.widget.widget.optgroups("categories", [str(jazz.pk)])
        return [option for _, options, _ in groups for option in options]

    shown = [(box["label"], box["selected"], box["attrs"].get("class")) for box in boxes()]
    assert [(name, is_chosen, css.split()[-1]) for name, is_chosen, css in shown] == [
        ("Art", False, "level-0"),
        ("Music", False, "level-0"),
        ("Jazz", True, "level-1"),
    ]
    monkeypatch.setattr(categories, "MOST", 2)
    assert [box["label"] for box in boxes()] == ["Jazz"]


def test_empty_fields_show_how_a_time_is_written_and_which_zone_is_meant(client, user, settings):
    settings.CALENDAR_TIME_ZONE = "Europe/London"

    page = client.get(reverse("admin:calendar_app_event_add")).content.decode()

    assert 'placeholder="next friday 8pm"' in page
    assert 'placeholder="Europe/London"' in page


def test_only_an_event_without_a_venue_has_an_empty_row_for_one(client, user):
    event = EventFactory(venues=[VenueFactory()])

    with CaptureQueriesContext(connection) as done:
        formsets = client.get(change_url(event)).context["inline_admin_formsets"]

    assert [each.formset.total_form_count() for each in formsets] == [1, 1]
    assert [each.formset.initial_form_count() for each in formsets] == [1, 0]
    reads = [q for q in done if re.search(r"FROM .calendar_app_eventorganizer\b", q["sql"])]
    assert len(reads) == 1


def test_fields_with_the_names_of_the_api_are_explained(client, user):
    for model, sentences in (
        ("event", ["Only who has the address finds it.", "The first of its day in the month."]),
        ("venue", ["Made by itself when empty.", "Shown in lists; the beginning"]),
    ):
        page = client.get(reverse(f"admin:calendar_app_{model}_add")).content.decode()
        for sentence in sentences:
            assert sentence in page
