"""Exports and imports of the admin's lists."""

import tempfile
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from calendar_app.admin.transfer import kept
from calendar_app.models import Category, Event, Image, Organizer, Status, Tag, Venue
from calendar_app.services import images, posts, revision

from ..support.admin_users import as_role
from ..support.factories import (
    CategoryFactory,
    EventFactory,
    OrganizerFactory,
    TagFactory,
    UserFactory,
    VenueFactory,
)
from ..support.pictures import photo
from ..support.tables import CSV, JSON, confirm, errors, exported, imported, preview, url

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media")]


# Long, as it names each column.
def test_an_event_is_exported_as_the_api_writes_it(client, user):
    venues, host = [VenueFactory(), VenueFactory()], OrganizerFactory()
    EventFactory(
        title="Fair, with music",
        author=user,
        timezone="Europe/Paris",
        cost="$10",
        venues=venues,
        organizers=[host],
        categories=[CategoryFactory(name="Open Air"), CategoryFactory(name="Jazz")],
        tags=[TagFactory(name="2027")],
        custom_fields={"room": "4"},
        password="secret",
    )

    (row,) = exported(client, Event)

    event = Event.objects.get()
    assert row | {"date": ""} == {
        "id": str(event.pk),
        "author": str(user.pk),
        "date": "",
        "description": "",
        "status": "publish",
        "image": "",
        "title": "Fair, with music",
        "slug": "fair-with-music",
        "excerpt": "",
        "timezone": "Europe/Paris",
        "all_day": "False",
        "start_date": "2027-03-01 10:00:00",
        "end_date": "2027-03-01 11:00:00",
        "cost": "$10",
        "website": "",
        "show_map": "True",
        "show_map_link": "True",
        "hide_from_listings": "False",
        "sticky": "False",
        "featured": "False",
        "ticketed": "False",
        "categories": "jazz, open-air",
        "tags": str(Tag.objects.get().pk),
        "venue": f"{venues[0].pk}, {venues[1].pk}",
        "organizer": str(host.pk),
        "post_parent": "",
        "custom_fields": '{"room": "4"}',
    }


def test_a_venue_is_named_in_words_and_made_once(client, user):
    known = VenueFactory(name="Hall, upper floor")
    row = {"start_date": "2027-03-01", "end_date": "2027-03-02"}
    names = ["Hall, upper floor", "Barn", "barn", str(known.pk)]

    imported(client, Event, [{"title": name, **row, "venue": name} for name in names])

    found = Event.objects.order_by("pk").values_list("venues__name", flat=True)
    assert list(found) == ["Hall, upper floor", "Barn", "Barn", "Hall, upper floor"]


@pytest.mark.parametrize("form", [CSV, JSON])
def test_what_was_exported_is_imported_unchanged(client, user, form):
    image = images.store(SimpleUploadedFile("a.png", photo()))
    EventFactory(
        title="=1+1",
        author=user,
        image=image,
        all_day=True,
        timezone="America/New_York",
        venues=[VenueFactory(), VenueFactory()],
        organizers=[OrganizerFactory()],
        categories=[CategoryFactory(), CategoryFactory()],
        tags=[TagFactory(name="2027")],
        custom_fields={"room": [1, None, {"a": "é"}]},
        status=Status.PRIVATE,
        password="secret",
    )
    before = Event.objects.values().get()
    links = list(Event.objects.get().venue_links.values("venue", "position"))

    imported(client, Event, exported(client, Event, form), form)

    after = Event.objects.values().get()
    assert {name for name in before if before[name] != after[name]} <= {"modified", "modified_utc"}
    assert list(Event.objects.get().venue_links.values("venue", "position")) == links


@pytest.mark.parametrize("form", [CSV, JSON])
@pytest.mark.parametrize(
    ("model", "make"),
    [
        (Venue, lambda: VenueFactory(name="@Hall", geo_lat=-33.5, geo_lng=0.0, phone="+49 30 1")),
        (Organizer, lambda: OrganizerFactory(name="Club", email="club@example.org")),
        (Category, lambda: CategoryFactory(name="Jazz", parent=CategoryFactory(name="Music"))),
        (Tag, lambda: TagFactory(name="Free", description="<p>No entry fee</p>")),
    ],
)
def test_the_other_records_survive_the_round_trip_too(client, user, model, make, form):
    make()
    before = list(model.objects.order_by("pk").values())

    imported(client, model, exported(client, model, form), form)

    for old, new in zip(before, model.objects.order_by("pk").values(), strict=True):
        assert {name for name in old if old[name] != new[name]} <= {"modified", "modified_utc"}


def test_the_export_is_of_the_filtered_list(client, user):
    EventFactory(title="Jazz")
    EventFactory(title="Opera")
    posts.trash(EventFactory(title="Jazz, cancelled"))

    assert [row["title"] for row in exported(client, Event, q="jazz")] == ["Jazz"]


def test_an_export_takes_as_many_queries_for_three_as_for_one(
    client, user, django_assert_num_queries, django_assert_max_num_queries
):
    def make():
        EventFactory(
            venues=[VenueFactory()],
            organizers=[OrganizerFactory()],
            categories=[CategoryFactory()],
            tags=[TagFactory()],
            author=UserFactory(),
            parent=EventFactory(),
        )

    make()
    with django_assert_max_num_queries(20) as captured:
        exported(client, Event)
    make()

    with django_assert_num_queries(len(captured)):
        assert len(exported(client, Event)) == 4


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t"])
def test_exported_text_is_never_a_spreadsheet_formula(client, user, start):
    VenueFactory(name="Hall", address=f"{start}cmd|' /C calc'!A0")

    (row,) = exported(client, Venue)

    assert row["address"] == f"'{start}cmd|' /C calc'!A0"


@as_role("Author")
def test_an_export_contains_nothing_hidden(client, user):
    EventFactory(title="Public", venues=[VenueFactory(status=Status.DRAFT)])
    EventFactory(title="Protected", password="secret")
    EventFactory(title="Draft", status=Status.DRAFT)

    rows = exported(client, Event)

    assert [(row["title"], row["venue"]) for row in rows] == [("Public", "")]


def test_images_are_exported(client, user):
    image = images.store(SimpleUploadedFile("a.png", photo()), title="Crowd")

    (row,) = exported(client, Image)

    assert (row["title"], row["file"], row["width"]) == ("Crowd", image.file.url, "600")


def test_rows_without_an_id_are_made(client, user):
    category = CategoryFactory(name="Music")
    before = revision.current().stamp

    response = imported(
        client,
        Event,
        [
            {
                "title": title,
                "start_date": "2027-03-01 10:00",
                "end_date": "2027-03-01 12:00",
                "categories": "music, New one",
                "cost": "10-25",
                "featured": "yes" if title == "Fair" else "",
            }
            for title in ("Fair", "Bazaar")
        ],
    )

    category.refresh_from_db()
    fair, bazaar = Event.objects.order_by("-slug")
    assert (fair.title, fair.author, fair.status, fair.cost) == (
        "Fair",
        user,
        "publish",
        "$10 – $25",
    )
    assert (fair.featured, bazaar.featured) == (True, False)
    assert category.count == 2
    assert Category.objects.filter(name="New one").count() == 1
    assert revision.current().stamp > before
    assert "2 new, 0 updated" in response.content.decode()


def test_a_row_changes_only_the_columns_that_it_has(client, user):
    event = EventFactory(title="Before", cost="$10", author=user)

    imported(client, Event, [{"id": event.pk, "title": "After"}])

    event.refresh_from_db()
    assert (event.title, event.cost) == ("After", "$10")


def test_a_preview_changes_nothing(client, user):
    context = preview(client, Tag, [{"name": "Free", "colour": "red"}])

    assert not Tag.objects.exists()
    assert context["result"].diff_headers == ["name"]


def test_rows_that_are_no_longer_right_import_nothing(client, user):
    context = preview(client, Tag, [{"name": "New"}, {"name": "Free"}])
    TagFactory(name="Free")

    response = client.post(url(Tag, "process_import"), context["confirm_form"].initial, follow=True)

    assert "Nothing was imported" in response.content.decode()
    assert Tag.objects.count() == 1


def test_a_preview_is_imported_once(client, user):
    initial = preview(client, Tag, [{"name": "New"}])["confirm_form"].initial

    client.post(url(Tag, "process_import"), initial)
    again = client.post(url(Tag, "process_import"), initial, follow=True)

    assert "was imported from this preview before" in again.content.decode()
    assert Tag.objects.count() == 1


def test_a_forged_confirmation_reads_and_deletes_no_file_of_the_server(client, user):
    with tempfile.NamedTemporaryFile("w") as file:
        file.write("name\nStolen\n")
        file.flush()
        sent = {"import_file_name": Path(file.name).name, "original_file_name": "a.csv"}
        answer = client.post(
            url(Tag, "process_import"), {**sent, "format": CSV, "resource": "7"}, follow=True
        )
        assert Path(file.name).exists()

    assert "The preview is out of date" in answer.content.decode()
    assert not Tag.objects.exists()
    assert client.post(url(Tag, "process_import"), {**sent, "format": "77"}).status_code == 200


def test_a_preview_that_no_form_could_send_back_is_refused(client, user, monkeypatch):
    monkeypatch.setattr(kept, "MOST", 10)

    context = preview(client, Tag, [{"name": "New"}])

    assert "too large to be shown" in context["form"].errors["import_file"][0]


@pytest.mark.parametrize(
    ("row", "column"),
    [
        ({"title": ""}, "title"),
        ({"start_date": "2027-02-30"}, "start_date"),
        ({"end_date": "2027-02-01"}, "end_date"),
        ({"timezone": "Mars/Olympus"}, "timezone"),
        ({"website": "javascript:alert(1)"}, "website"),
        ({"custom_fields": "{"}, "custom_fields"),
        ({"custom_fields": "[1]"}, "custom_fields"),
        ({"venue": "77"}, "venue"),
        ({"image": "77"}, "image"),
        ({"status": "sold"}, "status"),
        ({"id": "77"}, "id"),
        ({"id": "x"}, "id"),
        ({"id": "9" * 30}, "id"),
        ({"author": "77"}, "author"),
    ],
)
def test_a_wrong_row_is_shown_with_its_column(client, user, row, column):
    good = {"title": "Fair", "start_date": "2027-03-01 10:00", "end_date": "2027-03-01 12:00"}

    context = preview(client, Event, [{**good, **row}])

    assert column in errors(context)
    assert "confirm_form" not in context
    assert not Event.objects.exists()


def test_a_missing_column_is_named(client, user):
    found = errors(preview(client, Event, [{"title": "Fair", "end_date": "2027-02-30"}]))

    assert found["start_date"] == ["The table has no such column."]
    assert "2027-02-30" in str(found["end_date"])


def test_columns_are_named_as_in_the_form(client, user):
    CategoryFactory(name="Music")
    row = {"Title": "Fair", "Start": "5 March 2027 10am", "End": "5 March 2027 noon"}
    names = {"Time zone": "Europe/Paris", "Category": "music", "Tags": "", "Organizer": "Ann"}

    imported(client, Event, [row | names])

    event = Event.objects.get()
    assert (str(event.start_date), event.timezone) == ("2027-03-05 10:00:00", "Europe/Paris")
    assert [category.name for category in event.categories.all()] == ["Music"]
    assert event.organizers.get().name == "Ann"


def test_a_name_of_a_column_is_not_replaced_by_a_label(client, user):
    row = {"title": "Fair", "start_date": "2027-03-05", "start": "x", "end_date": "2027-03-06"}

    imported(client, Event, [row])

    assert str(Event.objects.get().start_date) == "2027-03-05 00:00:00"


@pytest.mark.parametrize("form", [CSV, JSON])
def test_columns_that_are_not_known_are_told_in_the_preview(client, user, form):
    rows = [{"name": "jazz", "colour": "red", "<b>": ""}]

    context = preview(client, Tag, rows, form)

    said = [str(message) for message in context["messages"]]
    assert said == ["These columns have no known name, and are left out: <b>, colour."]
    confirm(client, Tag, context)
    assert Tag.objects.get().name == "jazz"


def test_a_taken_name_is_said_to_be(client, user):
    CategoryFactory(name="Jazz")

    assert "A category 'Jazz' already exists" in str(
        errors(preview(client, Category, [{"name": "jazz"}]))
    )


@as_role("Author")
def test_rows_of_others_are_refused(client, user):
    event = EventFactory(title="Before")

    assert errors(preview(client, Event, [{"id": event.pk, "title": "After"}])) == {
        "id": [f"You may not change event {event.pk}."]
    }


@as_role("Contributor")
def test_a_contributor_imports_for_review(client, user):
    row = {
        "title": "Fair",
        "status": "publish",
        "start_date": "2027-03-01 10:00",
        "end_date": "2027-03-01 12:00",
    }

    imported(client, Event, [row])
    refused = preview(client, Event, [row | {"categories": "Unknown"}])

    assert Event.objects.get().status == Status.PENDING
    assert "you may not create one" in str(errors(refused))


@as_role("Contributor")
def test_whoever_may_not_add_may_not_import(client, user):
    assert client.get(url(Category, "import")).status_code == 403


@pytest.mark.parametrize(
    ("form", "body"),
    [
        (JSON, b"{"),
        (JSON, b"[1]"),
        (JSON, b'{"name": "x"}'),
        (JSON, b'[{"name": "a"}, {"slug": "b"}]'),
        (JSON, b"[]"),
        (JSON, b"[" * 100_000),
        (CSV, b""),
        (CSV, b"name\n\x81\x8d"),
        (CSV, b"\xff\xfe\x00"),
        (CSV, b"name,Name\na,b\n"),
        (CSV, b"name\n" + b"x" * 200_000),
        (CSV, b"name\na,b,c\n"),
    ],
)
def test_what_is_no_table_is_refused(client, user, form, body):
    context = preview(client, Tag, SimpleUploadedFile("a", body), form)

    assert "import_file" in context["form"].errors
    assert not Tag.objects.exists()


def test_a_table_without_known_columns_is_refused(client, user):
    assert errors(preview(client, Tag, [{"colour": "red"}]))


def test_a_table_too_long_is_refused(client, user):
    rows = [{"name": f"Tag {number}"} for number in range(1001)]

    for form in (CSV, JSON):
        context = preview(client, Tag, rows, form)

        assert "1001 rows; 1000 are accepted" in str(context["form"].errors)
        assert "result" not in context  # none of its rows was tried
    assert not Tag.objects.exists()


@pytest.mark.attack
def test_a_table_that_is_huge_when_unpacked_is_refused(client, user):
    body = b"name\n" + b"a" * 20_000_000
    context = preview(client, Tag, SimpleUploadedFile("a.csv", body))
    assert "larger than 20 MB" in str(context["form"].errors)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_table_is_read_as_a_spreadsheet_saves_it(client, user, encoding, separator):
    row = "Fête,2027-03-05 10:00,2027-03-05 12:00,Grüner Saal"
    body = (
        "\r\n".join(["Title,Start date,END_DATE,Venue", row, ",,,", ""])
        .replace(",", separator)
        .encode(encoding)
    )

    imported(client, Event, SimpleUploadedFile("a.csv", body))

    event = Event.objects.get()
    assert (event.title, str(event.start_date)) == ("Fête", "2027-03-05 10:00:00")
    assert [venue.name for venue in event.venues.all()] == ["Grüner Saal"]


@as_role("Author")
def test_an_image_that_is_kept_from_the_user_is_not_imported(client, user):
    image = images.store(SimpleUploadedFile("a.png", photo()))
    EventFactory(image=image, status="private")

    context = preview(client, Organizer, [{"organizer": "Guild", "image": str(image.pk)}])

    assert set(errors(context)) == {"image"}
