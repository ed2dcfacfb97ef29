"""The history of a record in the admin, and restoring a version of it."""

import datetime as dt
from html import unescape

import pytest
from django.contrib.admin.templatetags.admin_list import result_headers
from django.contrib.auth.models import Permission
from django.urls import reverse
from django.utils.html import strip_tags
from hypothesis import given, settings
from hypothesis import strategies as st

from calendar_app.models import Change, Event, Status
from calendar_app.services import events, history, posts, revision, series, terms
from calendar_app.services.actor import acting
from calendar_app.services.series import Rule, Scope

from ..support.admin_users import as_role
from ..support.api_client import P, client_of
from ..support.factories import (
    CategoryFactory,
    EventFactory,
    OrganizerFactory,
    TagFactory,
    UserFactory,
    VenueFactory,
)

pytestmark = pytest.mark.django_db


def versions(record):
    """Return the IDs of the versions of a record, the oldest first."""
    kept = Change.objects.filter(kind=record._meta.model_name, record_id=record.pk)
    return list(kept.order_by("id").values_list("id", flat=True))


def address(record, version=None):
    model = record._meta.model_name
    if version is None:
        return reverse(f"admin:calendar_app_{model}_history", args=[record.pk])
    return reverse(f"admin:calendar_app_{model}_version", args=[record.pk, version])


def text(response):
    """Return what a page says in words."""
    assert response.status_code == 200, response
    shown = response.content.decode().split('class="planning history"')[1]
    return " ".join(unescape(strip_tags(shown)).split())


def restore(client, record, version):
    """Look at what restoring a version would change, and confirm it."""
    page = client.get(address(record, version))
    return client.post(address(record, version), {"seen": page.context["tried"].newest})


def patch(user, event, **fields):
    answer = client_of(user).patch(f"{P}/events/{event.pk}", fields, format="json")
    assert answer.status_code == 200, answer.json()
    event.refresh_from_db()


def test_who_changed_what_is_told_in_words_the_newest_first(client, user):
    old, new = VenueFactory(name="Old hall"), VenueFactory(name="New <b>hall</b>")
    event = EventFactory(
        title="Fair", venues=[old], description="<p>An evening with music.</p>", tags=[TagFactory()]
    )
    patch(user, event, title="Fête", venue=[new.pk], tags=[], start_date="2027-02-28 20:00")
    patch(user, event, description="<p>An evening with loud music.</p>", featured=True)
    patch(user, event, custom_fields={"colour": "red"}, post_password="secret!")

    said = text(client.get(address(event)))

    first, second, third, _ = said.split("Restore this version", 3)
    assert f"Changed by {user} API" in first
    assert "Custom fields, colour empty → then red" in first
    assert "Password set" in first
    assert "secret" not in said
    assert "This is what it is now" in first
    assert "Featured no → then yes" in first
    assert "An evening with loud music." in first
    assert "Title Fair → then Fête" in second
    assert "Start Monday, 1 March 2027, 10:00 → then Sunday, 28 February 2027, 20:00" in second
    assert "Venues “Old hall” → then “New <b>hall</b>”" in second
    assert "Tags “Tag" in second
    assert "Created by a program" in third


def test_signs_in_a_text_are_shown_as_they_are_read(client, user):
    event = EventFactory(description="<p>Come.</p>")
    patch(user, event, description="<p>Tom &amp; Jerry say &lt;b&gt;come&lt;/b&gt;.</p>")

    page = client.get(address(event)).content.decode()

    assert "Tom &amp; Jerry say &lt;b&gt;come&lt;/b&gt;." in page
    assert "&amp;amp;" not in page


@as_role("Author")
def test_what_a_viewer_may_not_see_is_not_named(client, user):
    secret = VenueFactory(name="Secret lair", status="private")
    parent = EventFactory(title="Surprise party", status="draft")
    event = EventFactory(author=user, venues=[secret], parent=parent)
    gone = VenueFactory(name="Hidden place", status="draft")
    events.save(event, venues=[secret, gone])
    with revision.writing():
        gone.delete()
    event.parent = None
    events.save(event, venues=[])

    said = text(client.get(address(event)))

    assert "a venue that you may not see" in said
    assert "a venue that was deleted" in said
    assert "an event that you may not see" in said
    for name in ("lair", "Surprise", "Hidden"):
        assert name not in said


def test_a_version_is_restored_once_it_was_looked_at(client, user):
    tag = TagFactory(name="jazz")
    event = EventFactory(title="Fair", tags=[tag], description="<p>One</p><p>two</p>")
    before = history.state(event)
    patch(user, event, title="Fête", tags=[], description="", all_day=True, timezone="UTC+2")
    created, changed = versions(event)

    page = client.get(address(event, created))
    assert "Title Fête → then Fair" in text(page)
    assert "Tags empty → then “jazz”" in text(page)
    assert versions(event) == [created, changed]
    answer = restore(client, event, created)

    assert answer.status_code == 302
    assert history.state(Event.objects.get()) == before
    restored = Change.objects.latest("id")
    assert (restored.user, restored.door) == (user, "restoring a version")
    assert restored.values["title"] == ["Fête", "Fair"]
    restore(client, event, changed)
    assert Event.objects.get().title == "Fête"
    assert "Nothing would change" in text(client.get(address(event, changed)))


def test_what_was_before_all_that_is_kept_is_restored_too(client, user):
    event = EventFactory(title="Old")
    Change.objects.all().delete()
    patch(user, event, title="New")

    said = text(client.get(address(event)))
    restore(client, event, 0)

    assert "Restore what was before" in said
    assert Event.objects.get().title == "Old"


@pytest.mark.parametrize(
    ("factory", "fields"),
    [
        (VenueFactory, {"city": "Ulm", "geo_lat": 48.4, "geo_lng": 10.0, "excerpt": "Big"}),
        (OrganizerFactory, {"email": "a@example.org", "slug": "ann", "website": "http://a.org/"}),
        (CategoryFactory, {"description": "<p>Loud</p>", "slug": "noise"}),
        (TagFactory, {"description": "<p>Loud</p>"}),
    ],
)
def test_each_kind_is_restored(factory, fields, client, user):
    for model in ("category", "tag"):
        user.user_permissions.add(Permission.objects.get(codename=f"change_{model}"))
    record = factory(name="First", **fields)
    [version] = versions(record)
    before = history.state(record)
    for name in fields:
        setattr(record, name, None if name.startswith("geo") else "")
    record.name = "Second"
    (posts if hasattr(record, "status") else terms).save(record)

    answer = restore(client, record, version)

    assert answer.status_code == 302
    assert history.state(type(record).objects.get(pk=record.pk)) == before


def test_trash_and_publication_are_restored_as_well(client, user):
    event = EventFactory(status="draft")
    posts.publish(event, user)
    posts.trash(event)
    draft, published, _ = versions(event)

    restore(client, event, published)
    assert Event.objects.get().status == Status.PUBLISH
    restore(client, event, draft)
    assert Event.objects.get().status == Status.DRAFT


@as_role("Contributor")
def test_who_may_not_publish_gets_back_a_pending_event(client, user):
    event = EventFactory(author=user, status="publish")
    [published] = versions(event)
    event.status = "draft"
    events.save(event)

    assert "Status Draft → then Pending review" in text(client.get(address(event, published)))
    restore(client, event, published)

    assert Event.objects.get().status == Status.PENDING


def test_what_is_gone_is_left_out_with_a_sentence(client, user):
    hall, jazz = VenueFactory(name="Hall"), CategoryFactory(name="Jazz")
    rock, author = CategoryFactory(), UserFactory(role="Author")
    event = EventFactory(venues=[hall], categories=[jazz, rock], author=author)
    [version] = versions(event)
    patch(user, event, venue=[], categories=[], author=user.pk)
    posts.trash(hall)
    terms.delete(jazz)
    author.delete()

    said = text(client.get(address(event, version)))
    restore(client, event, version)

    assert "Venues: “Hall” (in the trash) is left out." in said
    assert "Categories: “Jazz” (deleted) is left out." in said
    assert "Author: a user that was deleted is left out." in said
    assert list(Event.objects.get().categories.all()) == [rock]
    assert Event.objects.get().author == user


def test_what_was_deleted_from_under_an_event_is_told(client, user):
    hall, barn, ann = VenueFactory(name="Hall"), VenueFactory(name="Barn"), UserFactory()
    event = EventFactory(venues=[hall, barn])
    [version] = versions(event)
    with acting(ann, "API"):
        posts.trash(hall)
    patch(user, event, title="Later")
    _, lost, later = versions(event)

    said = text(client.get(address(event)))
    assert f"Link removed by {ann} API" in said
    assert "Venues “Hall” (in the trash)" in said
    assert f"{address(event, lost)}" in client.get(address(event)).content.decode()
    posts.restore(hall, user)
    for chosen, venues in ((version, [hall, barn]), (lost, [barn]), (version, [hall, barn])):
        restore(client, event, chosen)
        assert list(event.venues.order_by("event_links__position")) == venues
    restore(client, event, later)
    assert list(event.venues.all()) == [barn]


def test_who_gave_an_event_another_rule_is_told_with_both(client, user):
    event = EventFactory(title="Choir", start_date=dt.datetime(2027, 3, 1, 19))
    ann = UserFactory()
    with acting(ann, "admin"):
        series.create(event, Rule("FREQ=WEEKLY;COUNT=4"))
        series.save(event, Scope.ALL, rule=Rule("FREQ=WEEKLY;INTERVAL=2;COUNT=4"))
    _, second, third, _ = Event.objects.untrashed().order_by("start_utc")
    with acting(user, "API"):
        series.cancel(second)
        third.title = "Choir and band"
        series.save(third, Scope.FOLLOWING, rule=Rule("FREQ=MONTHLY;COUNT=2"))

    said = text(client.get(address(event)))
    assert f"Repetition created by {ann} admin" in said
    assert "Rule every week, 4 times" in said
    assert "Rule every week, 4 times → then every 2 weeks, 4 times" in said
    assert f"Repetition changed by {user} API" in said
    assert "Excluded dates empty → then Monday, 15 March 2027, 19:00" in said
    assert said.count("This is what it is now") == 1
    following = text(client.get(address(third)))
    assert "→ then every month, 2 times" in following
    listed = client.get(reverse("admin:calendar_app_change_changelist")).content.decode()
    assert "every month, 2 times" in listed


def test_what_an_event_lost_is_not_among_the_changes_of_all(client, user):
    venue = VenueFactory(name="Hall")
    EventFactory(title="Fair", venues=[venue])

    posts.trash(venue)

    page = client.get(reverse("admin:calendar_app_change_changelist"))
    first = page.context["cl"].result_list[0]
    assert (first.title, first.verb) == ("Hall", "changed")


def test_a_version_of_before_all_that_is_kept_has_what_was_lost(client, user):
    hall, barn = VenueFactory(name="Hall"), VenueFactory(name="Barn")
    event = EventFactory(venues=[hall])
    Change.objects.all().delete()
    posts.trash(hall)
    patch(user, event, venue=[barn.pk])
    posts.restore(hall, user)

    restore(client, event, 0)

    assert list(event.venues.all()) == [hall]


def test_what_cannot_be_restored_is_said_and_stores_nothing(client, user):
    for right in ("change_tag", "view_tag"):
        user.user_permissions.add(Permission.objects.get(codename=right))
    tag = TagFactory(name="jazz")
    [version] = versions(tag)
    tag.name = "rock"
    terms.save(tag)
    TagFactory(name="Jazz")

    said = text(client.get(address(tag, version)))
    client.post(address(tag, version), {"seen": versions(tag)[-1]})

    assert "It cannot be restored. A tag 'Jazz' already exists at this level." in said
    tag.refresh_from_db()
    assert tag.name == "rock"


def test_a_change_meanwhile_is_shown_before_anything_is_restored(client, user):
    event = EventFactory(title="First")
    [version] = versions(event)
    patch(user, event, title="Second")
    seen = versions(event)[-1]
    patch(user, event, title="Third")

    said = client.post(address(event, version), {"seen": seen}).content.decode()

    assert "Somebody else has changed this record meanwhile" in said
    assert Event.objects.get().title == "Third"


def test_a_password_stays_as_it_is(client, user):
    event = EventFactory(title="Old", password="first")
    [version] = versions(event)
    patch(user, event, title="New", post_password="second")

    restore(client, event, version)

    event.refresh_from_db()
    assert event.title == "Old"
    assert event.check_password("second")


@as_role("Author")
def test_who_may_not_change_a_record_sees_and_restores_nothing(client, user):
    event = EventFactory(title="Theirs")
    [version] = versions(event)
    event.title = "Changed"
    events.save(event)
    newest = versions(event)[-1]

    for answer in (
        client.get(address(event)),
        client.get(address(event, version)),
        client.post(address(event, version), {"seen": newest}),
    ):
        assert answer.status_code == 403
    draft = EventFactory(status="draft")
    assert client.post(address(draft, versions(draft)[0]), {"seen": 1}).status_code == 404
    tag = TagFactory()
    assert client.post(address(tag, versions(tag)[0]), {"seen": 1}).status_code == 403
    client.logout()
    assert client.post(address(event, version), {"seen": newest}).status_code == 302
    assert Event.objects.get(pk=event.pk).title == "Changed"


@as_role("Author")
def test_a_forged_version_is_of_no_use(client, user):
    own = EventFactory(author=user, title="Mine")
    theirs, tag = EventFactory(title="Theirs", status="draft"), TagFactory()
    newest = versions(own)[-1]

    for forged in (versions(theirs)[0], versions(tag)[0], 2**62):
        assert client.get(address(own, forged)).status_code == 404
        assert client.post(address(own, forged), {"seen": newest}).status_code == 404
    assert client.post(address(own, newest), {"seen": "9" * 5000}).status_code == 200
    assert Event.objects.get(pk=own.pk).title == "Mine"


def test_a_page_takes_as_many_queries_for_many_changes_as_for_few(
    client, user, django_assert_max_num_queries
):
    numbers = []
    for rows in (1, 3):
        event = EventFactory()
        for number in range(rows):
            venue, category = VenueFactory(), CategoryFactory()
            with acting(UserFactory(), "admin"):
                event.title = f"Title {number}"
                events.save(event, venues=[venue], categories=[category], tags=[TagFactory()])
        with django_assert_max_num_queries(25) as done:
            client.get(address(event))
        numbers.append(len(done))

    assert numbers[0] == numbers[1]


def test_editors_see_what_was_changed_lately_and_what_was_deleted(
    client, user, django_assert_max_num_queries
):
    listed = reverse("admin:calendar_app_change_changelist")
    numbers = []
    for _ in range(2):
        event, tag = EventFactory(title="Fair"), TagFactory(name="jazz")
        with acting(UserFactory(), "admin"), revision.writing():
            tag.delete()
        with django_assert_max_num_queries(20) as done:
            page = client.get(listed)
        numbers.append(len(done))

    headings = [each["text"].lower() for each in result_headers(page.context["cl"])]
    assert headings == ["when", "title", "kind", "done", "user", "through", "history"]
    shown = [(each.title, each.verb) for each in page.context["cl"].result_list]
    assert shown[:3] == [("jazz", "deleted"), ("jazz", "created"), ("Fair", "created")]
    assert address(event) in page.content.decode()
    assert numbers[0] == numbers[1]
    first = Change.objects.latest("id")
    for name in ("change", "delete"):
        path = reverse(f"admin:calendar_app_change_{name}", args=[first.pk])
        assert client.post(path, {"post": "yes", "title": "Forged"}).status_code == 403
    assert Change.objects.latest("id").title == "jazz"


@as_role("Author")
def test_authors_do_not_see_what_others_have_changed(client, user):
    change = EventFactory(status="draft") and Change.objects.latest("id")

    for name, args in (("changelist", []), ("change", [change.pk])):
        path = reverse(f"admin:calendar_app_change_{name}", args=args)
        assert client.get(path).status_code == 403


def test_a_long_history_has_pages(client, user, monkeypatch):
    monkeypatch.setattr("calendar_app.admin.history.views.PER_PAGE", 2)
    event = EventFactory(title="Title 0")
    for number in range(1, 4):
        event.title = f"Title {number}"
        events.save(event)

    assert "Page 1 of 2" in text(client.get(address(event)))
    older = text(client.get(f"{address(event)}?p=2"))
    assert "Title Title 0 → then Title 1" in older
    assert "This is what it is now" not in older


NAMES = st.text(st.characters(categories=["L", "N", "P", "Zs"]), min_size=1, max_size=20)
EDITS = st.fixed_dictionaries(
    {},
    optional={
        "title": NAMES.filter(str.strip),
        "description": st.lists(NAMES, max_size=3).map(lambda many: "<br>".join(many)),
        "cost": st.sampled_from(["", "10", "$5 – $20", "Free"]),
        "start_date": st.datetimes(dt.datetime(2027, 1, 1), dt.datetime(2027, 2, 1)).map(str),
        "timezone": st.sampled_from(["UTC", "Europe/Paris", "America/New_York", "UTC+2"]),
        "all_day": st.booleans(),
        "featured": st.booleans(),
        "slug": st.sampled_from(["one", "two", ""]),
        "status": st.sampled_from(["publish", "draft", "private", "trash"]),
        "custom_fields": st.dictionaries(st.sampled_from("ab"), st.integers() | NAMES, max_size=2),
        "categories": st.lists(st.integers(0, 2), unique=True),
        "venue": st.lists(st.integers(0, 2), unique=True),
        "website": st.sampled_from(["", "https://example.org/a"]),
    },
)


@given(edits=st.lists(EDITS, min_size=1, max_size=4), chosen=st.integers(0, 4))
@settings(max_examples=6, deadline=None)
def test_restoring_gives_back_exactly_what_was(edits, chosen):
    """Any version, after any edits by the API."""
    from calendar_app.admin.history import versions as restoring

    editor = UserFactory(role="Editor")
    linked = {
        "venue": VenueFactory.create_batch(3),
        "categories": CategoryFactory.create_batch(3),
    }
    event = EventFactory(end_date=dt.datetime(2028, 1, 1))
    states = [history.state(event)]
    ids = [versions(event)[-1]]
    for edit in edits:
        fields = {k: [linked[k][n].pk for n in v] if k in linked else v for k, v in edit.items()}
        client_of(editor).patch(f"{P}/events/{event.pk}", fields, format="json")
        states.append(history.state(Event.objects.get(pk=event.pk)))
        ids.append(versions(event)[-1])
    number = chosen % len(states)

    seen = versions(event)[-1]
    done = restoring.restore(event, ids[number], editor, seen=seen)

    if states[number]["status"] == states[-1]["status"] == "trash":
        return  # it has to be taken out of the trash first
    assert not done.errors, done.errors
    assert not done.remarks
    assert history.state(Event.objects.get(pk=event.pk)) == states[number]
