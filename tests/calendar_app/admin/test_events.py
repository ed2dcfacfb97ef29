"""An event's page in the admin: the rules are those of the API, the errors stand beside fields."""

import datetime as dt

import pytest
from django.contrib.admin.models import LogEntry
from django.urls import reverse

from calendar_app.models import Event, Status
from calendar_app.services import posts, revision

from ..support.admin_users import as_role
from ..support.factories import (
    CategoryFactory,
    EventFactory,
    OrganizerFactory,
    TagFactory,
    UserFactory,
    VenueFactory,
)

pytestmark = pytest.mark.django_db

ADD = "admin:calendar_app_event_add"


def rows(prefix, field, links=()):
    """Return what the sortable rows of links send: (ID of the row, record, position)."""
    sent = {
        f"{prefix}-TOTAL_FORMS": len(links),
        f"{prefix}-INITIAL_FORMS": len([row for row, _, _ in links if row]),
    }
    for number, (row, record, position) in enumerate(links):
        sent[f"{prefix}-{number}-id"] = row or ""
        sent[f"{prefix}-{number}-{field}"] = record.pk
        sent[f"{prefix}-{number}-position"] = position
    return sent


def page(venues=(), organizers=(), **fields):
    """Return what an event's page sends."""
    return {
        "title": "Fair",
        "start_date": "2027-03-01T10:00:00",
        "end_date": "2027-03-01T12:00:00",
        "timezone": "",
        "status": "publish",
        "custom_fields": "{}",
        **rows("venue_links", "venue", venues),
        **rows("organizer_links", "organizer", organizers),
        **fields,
    }


def change_url(event):
    return reverse("admin:calendar_app_event_change", args=[event.pk])


def saved(client, url, **fields):
    """Send an event's page and return the event, which must have been accepted."""
    response = client.post(url, page(**fields))
    if response.status_code != 302:
        raise AssertionError(response.context["errors"])
    return Event.objects.latest("modified_utc", "pk")


def errors(client, url, **fields):
    """Send an event's page, which must be refused; return its errors by field."""
    response = client.post(url, page(**fields))
    assert response.status_code == 200
    return response.context["adminform"].form.errors


def test_an_event_is_made_with_all_that_belongs_to_it(client, user):
    hall, park = VenueFactory(), VenueFactory()
    host, category, tag = OrganizerFactory(), CategoryFactory(), TagFactory()
    before = revision.current().stamp

    event = saved(
        client,
        reverse(ADD),
        title="Summer fête",
        timezone="europe/paris",
        cost="10-25",
        venues=[(None, hall, 2), (None, park, 1)],
        organizers=[(None, host, 0)],
        categories=[category.pk],
        tags=[tag.pk],
        website="https://example.org",
    )

    category.refresh_from_db()
    assert (event.slug, event.timezone, event.cost) == ("summer-fete", "Europe/Paris", "$10 – $25")
    assert str(event.start_utc) == "2027-03-01 09:00:00+00:00"
    assert [str(link) for link in event.venue_links.all()] == [park.name, hall.name]
    assert list(event.organizers.all()) == [host]
    assert (list(event.tags.all()), category.count) == ([tag], 1)
    assert (event.author, event.status) == (user, Status.PUBLISH)
    assert revision.current().stamp == before + 1


def test_what_is_saved_unchanged_stays_as_it_was(client, user):
    event = EventFactory(
        title="Fair",
        timezone="America/New_York",
        end_date=dt.datetime(2027, 3, 1, 10, 0, 30),
        venues=[VenueFactory(), VenueFactory()],
        categories=[CategoryFactory()],
        password="secret",
        author=user,
    )
    before = Event.objects.values().get()
    form = client.get(change_url(event)).context["adminform"].form
    links = [(link.pk, link.venue, link.position) for link in event.venue_links.all()]
    fields = {name: form[name].value() for name in form.fields}
    fields = {name: value for name, value in fields.items() if value not in (None, False)}
    fields |= {name: str(fields[name]) for name in ("start_date", "end_date", "date")}
    fields["categories"] = [category.pk for category in event.categories.all()]

    saved(client, change_url(event), venues=links, **fields)

    after = Event.objects.values().get()
    changed = {name for name in before if before[name] != after[name]}
    assert changed <= {"modified", "modified_utc"}
    assert [link.venue for link in event.venue_links.all()] == [link[1] for link in links]


def test_an_event_without_an_author_is_not_taken_by_who_edits_it(client, user):
    event = EventFactory()

    assert saved(client, change_url(event), title="Renamed").author is None


def test_links_are_removed_and_added(client, user):
    old, new = VenueFactory(), VenueFactory()
    event = EventFactory(venues=[old])
    link = event.venue_links.get()

    saved(
        client,
        change_url(event),
        venues=[(link.pk, old, 0), (None, new, 1)],
        **{"venue_links-0-DELETE": "on"},
    )

    assert list(event.venues.all()) == [new]


def test_the_history_says_what_changed(client, user):
    event = EventFactory(title="Fair", author=user)

    saved(client, change_url(event), title="Bazaar", venues=[(None, VenueFactory(name="Hall"), 0)])

    message = LogEntry.objects.latest("pk").get_change_message()
    assert "Changed Title" in message
    assert "“Hall”" in message


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"end_date": "2027-03-01T09:00:00"}, {"start_date", "end_date"}),
        ({"start_date": "2027-02-30T09:00"}, {"start_date"}),
        ({"start_date": ""}, {"start_date"}),
        ({"timezone": "Mars/Olympus"}, {"timezone"}),
        ({"title": "<script></script>"}, {"title"}),
        ({"title": "a\0b"}, {"title"}),
        ({"website": "ftp://example.org"}, {"website"}),
        ({"website": "javascript:alert(1)"}, {"website"}),
        ({"cost": "1" * 256}, {"cost"}),
        ({"custom_fields": "[1]"}, {"custom_fields"}),
        ({"custom_fields": "{"}, {"custom_fields"}),
        ({"status": "trash"}, {"status"}),
        ({"status": "sold"}, {"status"}),
        ({"categories": ["0"]}, {"categories"}),
        ({"image": "77"}, {"image"}),
        ({"author": "77"}, {"author"}),
    ],
)
def test_what_the_api_refuses_is_refused_here(client, user, fields, named):
    assert set(errors(client, reverse(ADD), **fields)) == named
    assert not Event.objects.exists()


def test_html_is_made_safe_and_the_title_plain(client, user):
    event = saved(
        client,
        reverse(ADD),
        title="<b>Big</b> fair",
        description='<p onclick="x()">Come!</p><script>alert(1)</script>',
        excerpt="<img src=x onerror=alert(1)>",
    )

    assert event.title == "Big fair"
    assert event.description == "<p>Come!</p>"
    assert "onerror" not in event.excerpt


def test_a_time_that_the_clocks_skip_moves_forward(client, user):
    event = saved(
        client,
        reverse(ADD),
        timezone="Europe/Paris",
        start_date="2027-03-28T02:30:00",
        end_date="2027-03-28T05:00:00",
    )

    assert str(event.start_date) == "2027-03-28 03:30:00"


def test_a_taken_slug_gets_a_number(client, user):
    EventFactory(title="Fair")

    assert saved(client, reverse(ADD), slug="fair").slug == "fair-2"


def test_a_publication_date_to_come_schedules(client, user, settings):
    settings.CALENDAR_TIME_ZONE = "Europe/Paris"

    event = saved(client, reverse(ADD), date="2090-01-01T12:00:00")

    assert event.status == Status.FUTURE
    assert event.date_utc == dt.datetime(2090, 1, 1, 11, tzinfo=dt.UTC)


def test_the_password_is_set_kept_and_removed_and_never_shown(client, user):
    event = saved(client, reverse(ADD), new_password=" open sesame ")
    assert event.check_password(" open sesame ")

    event = saved(client, change_url(event), title="Renamed")
    assert event.check_password(" open sesame ")
    html = client.get(change_url(event)).content.decode()
    assert event.password not in html
    assert "sesame" not in html

    event = saved(client, change_url(event), clear_password="on")
    assert not event.is_protected


@as_role("Contributor")
def test_a_contributor_chooses_no_status_that_is_public(client, user):
    offered = client.get(reverse(ADD)).context["adminform"].form.fields["status"].choices

    assert [value for value, _ in offered] == ["draft", "pending"]
    assert set(errors(client, reverse(ADD), status="publish")) == {"status"}
    assert saved(client, reverse(ADD), status="pending").author == user


@as_role("Contributor")
def test_a_contributor_cannot_edit_what_is_published(client, user):
    event = EventFactory(title="Before", author=user)

    response = client.post(change_url(event), page(title="After"))

    event.refresh_from_db()
    assert (response.status_code, event.title) == (403, "Before")


@as_role("Author")
def test_an_author_edits_no_event_of_others(client, user):
    event = EventFactory(title="Before")

    assert client.get(change_url(event)).status_code == 200  # to look at
    assert client.post(change_url(event), page(title="After")).status_code == 403


@as_role("Author")
@pytest.mark.parametrize(
    "hidden", [{"status": Status.DRAFT}, {"status": Status.PRIVATE}, {"password": "secret"}]
)
def test_an_author_does_not_see_what_the_api_hides(client, user, hidden):
    event = EventFactory(**hidden)

    response = client.get(change_url(event))

    assert response.status_code == 302  # to the index: there is no such event


@as_role("Author")
def test_only_editors_set_the_author(client, user):
    event = saved(client, reverse(ADD), author=UserFactory(role="Editor").pk)

    assert event.author == user


def test_an_editor_gives_an_event_to_who_may_write(client, user):
    author, reader = UserFactory(role="Author"), UserFactory()
    event = EventFactory(author=user)

    assert saved(client, change_url(event), author=author.pk).author == author
    assert set(errors(client, change_url(event), author=reader.pk)) == {"author"}


@as_role("Author")
def test_links_to_invisible_records_stay(client, user):
    hall, secret = VenueFactory(), VenueFactory(name="Secret bar", status=Status.DRAFT)
    event = EventFactory(author=user, venues=[hall, secret])

    html = client.get(change_url(event)).content.decode()
    link = event.venue_links.get(venue=hall)
    saved(client, change_url(event), venues=[(link.pk, hall, 0)])

    assert "Secret bar" not in html
    assert set(event.venues.all()) == {hall, secret}


@as_role("Author")
def test_invisible_records_cannot_be_linked(client, user):
    secret, event = VenueFactory(status=Status.DRAFT), EventFactory(author=user)

    response = client.post(change_url(event), page(venues=[(None, secret, 0)]))

    assert response.status_code == 200
    assert not event.venues.exists()


def test_what_is_in_the_trash_can_only_be_looked_at(client, user):
    event = EventFactory(title="Before")
    posts.trash(event)

    assert client.get(change_url(event)).status_code == 200
    assert client.post(change_url(event), page(title="After")).status_code == 403


def test_deleting_moves_to_the_trash(client, user):
    event = EventFactory(title="Fair", venues=[VenueFactory()], categories=[CategoryFactory()])
    url = reverse("admin:calendar_app_event_delete", args=[event.pk])

    question = client.get(url).content.decode()
    response = client.post(url, {"post": "yes"}, follow=True)

    event.refresh_from_db()
    assert "Move the event “Fair” to the trash?" in question
    assert event.is_trashed
    assert "“Fair” was moved to the trash." in response.content.decode()


def test_only_superusers_delete_for_good_and_only_from_the_trash(client, user):
    event = EventFactory()
    posts.trash(event)
    url = reverse("admin:calendar_app_event_delete", args=[event.pk])
    assert client.post(url, {"post": "yes"}).status_code == 403

    client.force_login(UserFactory(is_staff=True, is_superuser=True))
    client.post(url, {"post": "yes"})

    assert not Event.objects.exists()


def test_the_page_leads_to_the_api_and_to_the_site(client, user):
    event = EventFactory(title="Fair")

    html = client.get(change_url(event)).content.decode()
    response = client.get(f"/admin/calendar_app/event/{event.pk}/api/")

    assert 'href="/event/fair/"' in html
    assert response["Location"] == f"http://testserver/calendar/events/v1/events/{event.pk}"


def test_events_at_the_edge_of_time_have_a_page(client, user, settings):
    settings.TIME_ZONE = "Asia/Tokyo"
    last = dt.datetime(9999, 12, 31, 23, 50)
    event = EventFactory(start_date=last, end_date=last, timezone="America/New_York")

    assert client.get(change_url(event)).status_code == 200


@pytest.mark.attack
@pytest.mark.parametrize("value", ["x", "9" * 40, "-1", "²", ""])
def test_an_address_of_nothing_is_no_failure(client, user, value):
    form = client.get(reverse(ADD), {"parent": value, "image": value, "author": value})

    assert form.status_code == 200
    assert form.context["adminform"].form["author"].value() == user.pk
    for page in ("repeats", "duplicate", "preview"):
        address = f"/admin/calendar_app/event/{value or 0}/{page}/"
        assert client.get(address).status_code == 404
