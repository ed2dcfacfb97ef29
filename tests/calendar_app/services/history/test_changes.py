"""What is kept of each write: who, when, through which door, and old and new values."""

import datetime as dt
from io import StringIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from calendar_app.admin.transfer import ics as import_page
from calendar_app.models import Category, Change, Event, Image, Tag
from calendar_app.services import events, history, posts, revision, series, terms
from calendar_app.services.actor import acting
from calendar_app.services.history import stored
from calendar_app.services.series import Rule, Scope

from ...support.api_client import P, client_of
from ...support.factories import (
    CategoryFactory,
    EventFactory,
    OrganizerFactory,
    TagFactory,
    UserFactory,
    VenueFactory,
)
from ...support.ics import ics
from ...support.writing import NEW

pytestmark = pytest.mark.django_db

FAIR = "UID:fair\nSUMMARY:Fair\nDTSTART:20270301T100000Z\nDURATION:PT1H"


def of(record, kind=None):
    """Return the changes of a record, the newest first."""
    kind = kind or record._meta.model_name
    return list(Change.objects.filter(kind=kind, record_id=record.pk).order_by("-id"))


def make_image():
    return Image.objects.create(file="poster.png", width=1, height=1, filesize=1)


def last(record):
    return of(record)[0]


@pytest.fixture
def editor():
    return UserFactory(role="Editor", is_staff=True, email="editor@example.org")


@pytest.fixture
def browser(editor):
    client = Client()
    client.force_login(editor)
    return client


# Derived from others, of imports, or of series.
LEFT_OUT = {
    *("id", "status_before_trash", "date", "modified", "modified_utc", "image_url", "count"),
    *("source_id", "source_version", "global_id_lineage", "timezone_abbr", "duration"),
    *("series_id", "original_start", "is_override", "uid", "made_until", "extend_at"),
}


@pytest.mark.parametrize("model", stored.FIELDS)
def test_every_field_is_kept_or_left_out_on_purpose(model):
    columns = {field.attname for field in model._meta.concrete_fields}

    assert columns - {*stored.FIELDS[model]} <= LEFT_OUT
    assert {*stored.FIELDS[model]} <= columns - LEFT_OUT


def by_api(editor, browser, event):
    client_of(editor).patch(f"{P}/events/{event.pk}", {"title": "New"})


def by_bulk(editor, browser, event):
    items = [{"id": event.pk, "title": "New"}, {**NEW, "start_date": "someday"}]
    client_of(editor).post(f"{P}/events/bulk", {"events": items})


def by_admin(editor, browser, event):
    forms = {"title": "New", "start_date": "2027-03-01T10:00", "end_date": "2027-03-01T11:00"}
    for prefix in ("venue_links", "organizer_links"):
        forms |= {f"{prefix}-TOTAL_FORMS": 0, f"{prefix}-INITIAL_FORMS": 0}
    forms |= {"status": "publish", "custom_fields": "{}", "timezone": "UTC"}
    browser.post(reverse("admin:calendar_app_event_change", args=[event.pk]), forms)


def by_table(editor, browser, event):
    file = SimpleUploadedFile("a.csv", f"id,title\n{event.pk},New\n".encode())
    sent = {"import_file": file, "format": "0", "resource": ""}
    page = browser.post(reverse("admin:calendar_app_event_import"), sent)
    initial = page.context["confirm_form"].initial
    browser.post(reverse("admin:calendar_app_event_process_import"), initial)


def by_file(editor, browser, event):
    Event.objects.filter(pk=event.pk).update(source_id="fair")
    content = SimpleUploadedFile("a.ics", ics(FAIR.replace("Fair", "New")))
    address = reverse(f"admin:{import_page.PAGE}")
    page = browser.post(address, {"status": "publish", "file": content})
    kept = page.context["preview"]["kept"]
    browser.post(address, {"status": "publish", "kept": kept, "confirmed": "1"})


def by_command(editor, browser, event, tmp_path):
    Event.objects.filter(pk=event.pk).update(source_id="fair")
    file = tmp_path / "a.ics"
    file.write_bytes(ics(FAIR.replace("Fair", "New")))
    call_command("import_ics", str(file), user="editor@example.org", stdout=StringIO())


def by_series(editor, browser, event):
    series.create(event, Rule("FREQ=WEEKLY;COUNT=3"))
    other = Event.objects.exclude(pk=event.pk).latest("start_utc")
    other.title = "New"
    with acting(editor, "admin"):
        series.save(other, Scope.ALL)


def by_shell(editor, browser, event):
    event.title = "New"
    event.save()


@pytest.mark.parametrize(
    ("write", "door", "is_named"),
    [
        (by_api, "API", True),
        (by_bulk, "API", True),
        (by_admin, "admin", True),
        (by_table, "import of a table", True),
        (by_file, "import of a calendar file", True),
        (by_command, "command import_ics", True),
        (by_series, "admin", True),
        (by_shell, "", False),
    ],
)
def test_every_door_says_who_changed_what(write, door, is_named, editor, browser, tmp_path):
    event = EventFactory(title="Old")
    args = [tmp_path] if write is by_command else []

    write(editor, browser, event, *args)

    change = last(event)
    assert (change.verb, change.door) == ("changed", door)
    assert change.user == (editor if is_named else None)
    assert change.values["title"] == ["Old", "New"]


def test_the_worker_is_named_where_it_publishes():
    past = dt.datetime(2020, 1, 1)
    event = EventFactory(status="future", date=past, date_utc=past.replace(tzinfo=dt.UTC))

    assert posts.publish_when_due.call("event", event.pk)

    change = last(event)
    assert (change.user, change.door) == (None, "worker")
    assert change.values == {"status": ["future", "publish"]}


def test_links_and_own_fields_are_kept_in_one_change(editor):
    venues, tag = [VenueFactory(), VenueFactory()], TagFactory()
    event = EventFactory(venues=venues, categories=[CategoryFactory()])
    before = len(of(event))

    by_id = {"venue": [venues[1].pk, venues[0].pk], "tags": [tag.pk], "categories": []}
    client_of(editor).patch(
        f"{P}/events/{event.pk}", {**by_id, "custom_fields": {"colour": "red"}}, format="json"
    )

    change, *earlier = of(event)
    assert len(earlier) == before
    assert change.values == {
        "venues": [[venues[0].pk, venues[1].pk], [venues[1].pk, venues[0].pk]],
        "tags": [[], [tag.pk]],
        "categories": [[Category.objects.get().pk], []],
        "custom_fields": [{}, {"colour": "red"}],
    }


def test_a_new_record_is_one_change_with_all_that_was_given(editor):
    made = client_of(editor).post(f"{P}/events", {**NEW, "venue": {"venue": "Hall"}}).json()

    [change] = Change.objects.filter(kind="event")
    [of_venue] = Change.objects.filter(kind="venue")
    assert (change.record_id, change.title, change.verb) == (made["id"], "Fair", "created")
    assert change.values["venues"] == [[], [of_venue.record_id]]
    assert "description" not in change.values
    assert change.stamp == of_venue.stamp


@pytest.mark.parametrize("factory", [VenueFactory, OrganizerFactory, CategoryFactory, TagFactory])
def test_each_kind_has_a_history_up_to_its_deletion(factory, editor):
    record = factory(name="Old")
    pk = record.pk
    plural = {Category: "categories"}.get(type(record), f"{record._meta.model_name}s")
    client_of(editor).patch(f"{P}/{plural}/{pk}", {"name": "New", record._meta.model_name: "New"})
    record.refresh_from_db()
    with revision.writing():
        record.delete()
    record.pk = pk

    verbs = [(change.verb, change.title, change.values.get("name")) for change in of(record)]
    assert verbs == [
        ("deleted", "New", None),
        ("changed", "New", ["Old", "New"]),
        ("created", "Old", ["", "Old"]),
    ]


@pytest.mark.parametrize(
    ("factory", "field", "delete"),
    [
        (VenueFactory, "venues", posts.trash),
        (OrganizerFactory, "organizers", posts.trash),
        (CategoryFactory, "categories", terms.delete),
        (TagFactory, "tags", terms.delete),
        (VenueFactory, "venues", Model.delete),
        (make_image, "image", Model.delete),
        (UserFactory, "author", Model.delete),
    ],
)
def test_an_event_says_who_deleted_what_it_was_linked_to(factory, field, delete, editor, media):
    doomed = factory()
    pk = doomed.pk
    is_one = field in {"image", "author"}
    linked, other = EventFactory(**{field: doomed if is_one else [doomed]}), EventFactory()

    with acting(editor, "admin"):
        delete(doomed)

    change = last(linked)
    values = {f"{field}_id": [pk, None]} if is_one else {field: [[pk], []]}
    assert (change.verb, change.values) == ("unlinked", values)
    assert (change.user, change.door, change.title) == (editor, "admin", linked.title)
    assert last(other).verb == "created"


def test_venues_and_organizers_say_that_their_image_or_author_was_deleted(media):
    image, author = make_image(), UserFactory()
    venue, organizer = VenueFactory(image=image), OrganizerFactory(author=author)

    image.delete()
    author.delete()

    assert last(venue).values["image_id"][1] is None
    assert last(organizer).values["author_id"][1] is None


def test_a_deletion_takes_as_many_queries_for_many_events_as_for_few():
    numbers = []
    for number in (1, 5):
        venue = VenueFactory()
        for _ in range(number):
            EventFactory(venues=[venue])
        with CaptureQueriesContext(connection) as done:
            posts.trash(venue)
        numbers.append(len(done))

    assert numbers[0] == numbers[1]
    assert Change.objects.filter(verb="unlinked").count() == 6


def test_a_category_that_moves_up_says_so():
    top = CategoryFactory()
    child, pk = CategoryFactory(parent=top), top.pk

    terms.delete(top)

    assert last(child).values == {"parent_id": [pk, None]}


def test_a_password_is_never_kept(editor):
    event = EventFactory()
    for password in ("hunter2", "hunter3", ""):
        client_of(editor).patch(f"{P}/events/{event.pk}", {"post_password": password})

    told = [change.values.get("password") for change in of(event)]
    assert told[:3] == [["set", ""], ["set", "set anew"], ["", "set"]]
    everything = str(list(Change.objects.values()))
    assert "hunter" not in everything
    assert "pbkdf2" not in everything
    assert "argon2" not in everything


def test_what_is_undone_leaves_no_history(editor):
    event = EventFactory()
    before = Change.objects.exclude(kind="").count()
    client = client_of(editor)

    client.patch(f"{P}/events/{event.pk}?dry_run=1", {"title": "New", "tags": ["new"]})
    client.patch(f"{P}/events/{event.pk}", {"title": "New", "tags": ["new"], "end_date": "1999"})
    items = [{"id": event.pk, "title": "New"}, {"id": event.pk, "title": "Again"}]
    client.post(f"{P}/events/bulk?all_or_none=1", {"events": items})

    assert Change.objects.exclude(kind="").count() == before
    assert not Tag.objects.exists()


def test_what_changes_nothing_is_no_change(editor):
    event = EventFactory(tags=[TagFactory()])
    before = len(of(event))

    client_of(editor).patch(f"{P}/events/{event.pk}", {"title": event.title})
    events.save(event, tags=Tag.objects.all())

    assert len(of(event)) == before


def test_a_series_keeps_what_became_of_each_of_its_dates():
    event = EventFactory(title="Choir", tags=[TagFactory()])
    series.create(event, Rule("FREQ=WEEKLY;COUNT=3"))
    others = Event.objects.exclude(pk=event.pk).order_by("start_utc")
    assert [last(other).verb for other in others] == ["created"] * 2
    event.start_date += dt.timedelta(hours=1)
    event.end_date += dt.timedelta(hours=1)

    series.save(event, Scope.ALL, tags=[], venues=[VenueFactory()])
    for other in others:
        change = last(other)
        assert change.values["start_date"] == ["2027-03-08T10:00:00", "2027-03-08T11:00:00"] or (
            change.values["start_date"] == ["2027-03-15T10:00:00", "2027-03-15T11:00:00"]
        )
        assert change.values["tags"][1] == []
        assert len(change.values["venues"][1]) == 1
    series.trash(event, Scope.ALL)

    assert {last(each).values["status"][1] for each in (event, *others)} == {"trash"}


def test_the_history_of_a_write_takes_no_further_query(django_assert_max_num_queries):
    found = EventFactory.create_batch(3)
    numbers = []
    for some in ([], found[:1], found):
        with django_assert_max_num_queries(9) as done, revision.writing(precise=True):
            for event in some:
                history.note_links(event, "tags", [], [1])
        numbers.append(len(done))

    assert numbers == [numbers[0]] * 3
    assert last(found[2]).stamp == revision.current().stamp


def test_old_changes_are_pruned(time_machine, settings):
    time_machine.move_to("2027-03-01T12:00:00Z")
    tag = TagFactory(name="Old")
    time_machine.move_to("2028-02-29T11:00:00Z")
    with revision.writing():
        tag.name = "New"
        tag.save()

    assert history.prune() == 0
    time_machine.move_to("2028-02-29T13:00:00Z")
    assert history.prune() == 1
    assert [change.verb for change in of(tag)] == ["changed"]
    settings.CALENDAR_HISTORY_DAYS = 1
    time_machine.move_to("2028-03-02T13:00:00Z")
    assert history.prune() == 1


def test_a_fixture_leaves_the_history_and_forgets_what_readers_follow(editor):
    event = EventFactory(title="Old")
    client_of(editor).patch(f"{P}/events/{event.pk}", {"title": "New"})

    revision.increment_on_change(Event, raw=True)

    assert last(event).values["title"] == ["Old", "New"]
    assert not Change.objects.filter(records__isnull=False).exists()


@pytest.mark.parametrize("kind", ["image", "user"])
def test_the_admin_names_who_deletes_an_image_or_a_user(kind, browser, editor):
    editor.is_superuser = True
    editor.save()
    doomed = make_image() if kind == "image" else UserFactory()
    event = EventFactory(**{"image" if kind == "image" else "author": doomed})
    app = "calendar_app" if kind == "image" else "auth"

    address = reverse(f"admin:{app}_{kind}_delete", args=[doomed.pk])
    assert browser.post(address, {"post": "yes"}).status_code == 302

    assert (last(event).verb, last(event).user, last(event).door) == ("unlinked", editor, "admin")
