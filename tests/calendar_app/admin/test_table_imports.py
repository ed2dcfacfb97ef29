"""How a table of the admin is imported: checked first, then stored in one write, in few queries."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils.html import strip_tags

from calendar_app.models import Category, Change, Event, Organizer, Tag, Venue
from calendar_app.services import images, revision
from calendar_app.services.counts import recount

from ..support.factories import CategoryFactory, EventFactory, OrganizerFactory, VenueFactory
from ..support.pictures import photo
from ..support.tables import confirm, errors, exported, imported, preview

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media")]
ROW = {
    "title": "Fair",
    "start_date": "2027-03-01 10:00:00",
    "end_date": "2027-03-01 12:00:00",
    "venue": "Hall",
    "organizer": "Ann",
    "categories": "Music, Free",
    "tags": "jazz",
}
WRITE = "UPDATE calendar_app_revision"  # where a writer begins to wait for others


def fairs(number, **fields):
    return [{**ROW, "title": f"Fair {n}", **fields} for n in range(number)]


def changes_of(records):
    return [{"id": record.pk, **ROW, "title": f"New {record}"} for record in records]


def numbers_of_queries(client, rows):
    """Return how many queries the preview of rows takes, and how many their import."""
    with CaptureQueriesContext(connection) as previewed:
        context = preview(client, Event, rows)
    with CaptureQueriesContext(connection) as stored:
        confirm(client, Event, context)
    return len(previewed), len(stored)


def test_each_new_event_takes_few_queries(client, user):
    imported(client, Event, fairs(30))

    few = numbers_of_queries(client, fairs(10, title="Few"))
    many = numbers_of_queries(client, fairs(20, title="Many"))

    assert all(b - a <= 30 for a, b in zip(few, many, strict=True))


def test_each_changed_event_takes_few_queries(client, user):
    imported(client, Event, fairs(30))
    found = list(Event.objects.order_by("pk"))

    few = numbers_of_queries(client, changes_of(found[:10]))
    many = numbers_of_queries(client, changes_of(found[10:]))

    assert all(b - a <= 70 for a, b in zip(few, many, strict=True))


def test_other_writers_wait_only_while_rows_are_stored(client, user):
    image = images.store(SimpleUploadedFile("a.png", photo()))
    row = {"id": EventFactory().pk, "image": f"http://testserver{image.file.url}"}

    with CaptureQueriesContext(connection) as done:
        preview(client, Event, [row])

    sql = [query["sql"] for query in done]
    write = next(place for place, each in enumerate(sql) if WRITE in each)
    lookup = next(place for place, each in enumerate(sql) if "calendar_app_image" in each)
    assert lookup < write


def test_a_preview_shows_what_the_import_stores(client, user):
    VenueFactory(name="Hall")
    OrganizerFactory(name="Ann")
    rows = fairs(3, title="Fair", status="future", slug="")

    shown = preview(client, Event, rows)["result"]
    imported(client, Event, rows)

    assert [row.import_type for row in shown.rows] == ["new"] * 3
    stored = [
        [each[name] for name in shown.diff_headers]
        for each in sorted(exported(client, Event), key=lambda each: int(each["id"]))
    ]
    cells = [[strip_tags(cell) for cell in row.diff] for row in shown.rows]
    assert cells == stored
    assert [row["slug"] for row in exported(client, Event)] == ["fair", "fair-2", "fair-3"]
    assert Venue.objects.count() == Organizer.objects.count() == Tag.objects.count() == 1
    assert Category.objects.count() == 2
    assert recount() == 0


def test_a_preview_compares_a_changed_event_with_what_it_was(client, user):
    event = EventFactory(title="Old", venues=[VenueFactory(name="Hall")])

    context = preview(client, Event, [{"id": event.pk, "title": "New", "cost": ""}])

    (row,) = context["result"].rows
    assert row.import_type == "update"
    assert [strip_tags(cell) for cell in row.diff] == [str(event.pk), "OldNew", ""]


def test_a_preview_leaves_no_trace(client, user):
    imported(client, Event, fairs(1))
    stamp, changes = revision.current().stamp, Change.objects.count()

    preview(client, Event, fairs(2))
    preview(client, Event, [*fairs(2), {**ROW, "title": ""}])

    assert (revision.current().stamp, Change.objects.count()) == (stamp, changes)
    assert Event.objects.count() == 1


def test_an_import_is_one_write_with_a_change_of_each_record(client, user):
    known = EventFactory(title="Old")
    stamp = revision.current().stamp

    imported(client, Event, [*fairs(2, id=""), {**ROW, "id": known.pk, "title": "New"}])

    assert revision.current().stamp == stamp + 1
    noted = Change.objects.filter(kind="event", door="import of a table", user=user)
    assert sorted(noted.values_list("verb", "title")) == [
        ("changed", "New"),
        ("created", "Fair 0"),
        ("created", "Fair 1"),
    ]
    assert noted.get(verb="changed").values["title"] == ["Old", "New"]


def test_all_wrong_rows_are_named_whenever_they_are_found(client, user):
    wrong = [
        {**ROW, "title": ""},
        {**ROW, "venue": "77", "tags": "unknown before"},
        ROW,
        {**ROW, "end_date": "2027-02-01"},
    ]

    result = preview(client, Event, wrong)["result"]

    assert [(row.number, set(row.error_dict)) for row in result.invalid_rows] == [
        (1, {"title"}),
        (2, {"venue"}),
        (4, {"start_date", "end_date"}),
    ]
    assert not Tag.objects.exists()


def test_a_record_may_be_in_one_row_only(client, user):
    event = EventFactory(title="Old")

    found = errors(preview(client, Event, [{"id": event.pk, "title": t} for t in ("A", "B")]))

    assert found == {"id": [f"The event {event.pk} is in an earlier row too."]}


def test_rows_see_what_earlier_rows_have_changed(client, user):
    top, below = CategoryFactory(name="Top"), CategoryFactory(name="Below")
    circle = [{"id": top.pk, "parent": below.pk}, {"id": below.pk, "parent": top.pk}]
    hall = VenueFactory(name="Hall")
    halls = [["", "Hall", "Lyon"], [hall.pk, "Barn", ""], ["", "Hall", "Nice"]]

    assert set(errors(preview(client, Category, circle))) == {"parent"}
    imported(client, Venue, [dict(zip(("id", "venue", "city"), row, strict=True)) for row in halls])

    assert sorted(Venue.objects.values_list("name", "city")) == [("Barn", ""), ("Hall", "Nice")]
