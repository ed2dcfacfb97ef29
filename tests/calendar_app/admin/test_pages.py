"""The pages of venues, organizers, terms and images in the admin."""

import re

import pytest
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models.signals import post_save
from django.urls import reverse

from calendar_app.admin.term import TermAdmin
from calendar_app.models import Category, Image, Organizer, Status, Tag, Venue
from calendar_app.services import images, posts

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

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media")]


def add_url(name):
    return reverse(f"admin:calendar_app_{name}_add")


def change_url(record):
    return reverse(f"admin:calendar_app_{record._meta.model_name}_change", args=[record.pk])


def delete_url(record):
    return reverse(f"admin:calendar_app_{record._meta.model_name}_delete", args=[record.pk])


def errors(response):
    assert response.status_code == 200
    return response.context["adminform"].form.errors


def test_a_venue_is_made(client, user):
    client.post(
        add_url("venue"),
        {
            "name": "<b>Hall</b>",
            "status": "publish",
            "address": "1 Main St",
            "geo_lat": "48.85",
            "geo_lng": "2.35",
            "website": "hall.example.org",
            "show_map": "on",
        },
    )

    venue = Venue.objects.get()
    assert (venue.name, venue.slug, venue.author) == ("Hall", "hall", user)
    assert (venue.geo_lat, venue.geo_lng) == (48.85, 2.35)
    assert (venue.website, venue.show_map) == ("https://hall.example.org", True)
    assert not venue.show_map_link


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"geo_lat": "48.85"}, {"geo_lng"}),
        ({"geo_lat": "91", "geo_lng": "0"}, {"geo_lat"}),
        ({"geo_lat": "north", "geo_lng": "0"}, {"geo_lat"}),
        ({"name": ""}, {"name"}),
        ({"website": "ftp://example.org"}, {"website"}),
    ],
)
def test_a_wrong_venue_is_refused(client, user, fields, named):
    sent = {"name": "Hall", "status": "publish", **fields}

    assert set(errors(client.post(add_url("venue"), sent))) == named


def test_an_organizers_email_must_be_one(client, user):
    sent = {"name": "Club", "status": "publish", "email": "club"}

    assert set(errors(client.post(add_url("organizer"), sent))) == {"email"}

    client.post(add_url("organizer"), sent | {"email": "club@example.org"})
    assert Organizer.objects.get().email == "club@example.org"


def test_trashing_a_venue_unlinks_it(client, user):
    venue = VenueFactory()
    event = EventFactory(venues=[venue])

    client.post(delete_url(venue), {"post": "yes"})

    venue.refresh_from_db()
    assert venue.is_trashed
    assert not event.venues.exists()


def test_categories_are_made_and_moved(client, user):
    client.post(add_url("category"), {"name": "Music"})
    music = Category.objects.get()
    client.post(add_url("category"), {"name": "Jazz", "parent": music.pk})
    jazz = Category.objects.get(name="Jazz")
    assert (jazz.slug, jazz.parent) == ("jazz", music)

    refused = client.post(change_url(music), {"name": "Music", "slug": "music", "parent": jazz.pk})

    assert set(errors(refused)) == {"parent"}


@pytest.mark.parametrize(("name", "factory"), [("category", CategoryFactory), ("tag", TagFactory)])
def test_a_taken_name_is_refused_and_a_taken_slug_numbered(client, user, name, factory):
    factory(name="Jazz")

    refused = client.post(add_url(name), {"name": "JAZZ"})
    client.post(add_url(name), {"name": "Other", "slug": "jazz"})

    assert errors(refused) == {"name": [f"A {name} 'Jazz' already exists at this level."]}
    assert factory._meta.model.objects.get(name="Other").slug == "jazz-2"


def test_deleting_a_term_leaves_its_events(client, user):
    category = CategoryFactory()
    event = EventFactory(title="Concert", categories=[category])

    question = client.get(delete_url(category)).content.decode()
    client.post(delete_url(category), {"post": "yes"})

    assert "Concert" not in question
    assert not Category.objects.exists()
    assert not event.categories.exists()


def test_terms_are_deleted_in_bulk(client, user):
    kept, *gone = [TagFactory() for _ in range(3)]
    sent = {"action": "delete_selected", "post": "yes", "_selected_action": [t.pk for t in gone]}

    client.post(reverse("admin:calendar_app_tag_changelist"), sent)

    assert list(Tag.objects.all()) == [kept]


def test_a_category_whose_child_finds_its_name_taken_above_stays(client, user):
    CategoryFactory(name="Jazz")
    music = CategoryFactory(name="Music")
    CategoryFactory(name="Jazz", parent=music)
    bulk = {"action": "delete_selected", "post": "yes", "_selected_action": [music.pk]}

    page = client.post(delete_url(music), {"post": "yes"})
    client.post(reverse("admin:calendar_app_category_changelist"), bulk)

    assert "would move up one level" in page.content.decode()
    assert Category.objects.count() == 3


@pytest.mark.parametrize("in_bulk", [False, True])
def test_a_name_that_is_taken_while_a_category_is_deleted_is_told(client, user, in_bulk):
    music = CategoryFactory(name="Music")
    child = CategoryFactory(name="Jazz", parent=music)

    def take_name(**kwargs):
        CategoryFactory(name="Jazz")

    url = reverse("admin:calendar_app_category_changelist") if in_bulk else delete_url(music)
    sent = {"action": "delete_selected", "post": "yes", "_selected_action": [music.pk]}
    post_save.connect(take_name, LogEntry)  # is written just before the deletion
    try:
        page = client.post(url, sent, follow=True)
    finally:
        post_save.disconnect(take_name, LogEntry)

    child.refresh_from_db()
    assert "would move up one level, where its name is taken" in page.content.decode()
    assert child.parent == music


@pytest.mark.parametrize(("name", "factory"), [("category", CategoryFactory), ("tag", TagFactory)])
def test_a_name_that_is_taken_while_a_term_is_added_is_told(
    client, user, monkeypatch, name, factory
):
    def save_form(admin, request, form, change):
        factory(name="Jazz")  # after the form was found right
        return form.save(commit=False)

    monkeypatch.setattr(TermAdmin, "save_form", save_form)
    page = client.post(add_url(name), {"name": "Jazz"}, follow=True)

    assert f"A {name} &#x27;Jazz&#x27; already exists at this level." in page.content.decode()


def test_categories_of_one_line_are_deleted_in_bulk(client, user):
    top = CategoryFactory()
    middle = CategoryFactory(parent=top)
    low = CategoryFactory(parent=middle)
    child = CategoryFactory(parent=low)
    bulk = {"action": "delete_selected", "post": "yes", "_selected_action": [low.pk, middle.pk]}

    client.post(reverse("admin:calendar_app_category_changelist"), bulk)

    child.refresh_from_db()
    assert (child.parent, Category.objects.count()) == (top, 2)


@as_role("Author")
def test_authors_add_terms_and_do_not_change_them(client, user):
    tag = TagFactory(name="Before")
    client.post(add_url("tag"), {"name": "New"})

    response = client.post(change_url(tag), {"name": "After", "slug": "after"})

    assert Tag.objects.filter(name="New").exists()
    assert response.status_code == 403


@as_role("Contributor")
def test_contributors_upload_images(client, user):
    file = SimpleUploadedFile("Summer night.png", photo(), "image/png")

    client.post(add_url("image"), {"upload": file, "title": ""})

    image = Image.objects.get()
    assert (image.title, image.author) == ("Summer night", user)
    assert (image.width, image.height) == (600, 400)
    assert set(image.sizes) == {"thumbnail", "medium"}


@pytest.mark.parametrize("body", [b"<svg onload='alert(1)'/>", b"\x89PNG\r\n\x1a\nbroken", b"x"])
def test_a_file_that_is_not_an_image_is_refused(client, user, body):
    file = SimpleUploadedFile("a.png", body, "image/png")

    response = client.post(add_url("image"), {"upload": file})

    assert set(errors(response)) == {"upload"}
    assert not Image.objects.exists()


def test_an_image_too_large_is_refused(client, user, settings):
    settings.CALENDAR_IMAGE_MAX_BYTES = 100
    file = SimpleUploadedFile("a.png", photo(), "image/png")

    assert set(errors(client.post(add_url("image"), {"upload": file}))) == {"upload"}


def test_an_image_is_shown_and_renamed(client, user):
    image = images.store(SimpleUploadedFile("a.png", photo()))
    event = EventFactory(image=image)

    client.post(change_url(image), {"title": "Crowd"})

    image.refresh_from_db()
    assert image.title == "Crowd"
    small = image.file.storage.url(image.sizes["thumbnail"]["file"])
    assert image.file.url in client.get(change_url(image)).content.decode()
    assert small in client.get(reverse("admin:calendar_app_image_changelist")).content.decode()
    assert small in client.get(change_url(event)).content.decode()


@as_role("Author")
def test_an_image_that_is_kept_from_the_user_is_not_offered_or_taken(client, user):
    kept, own, public = (images.store(SimpleUploadedFile("a.png", photo())) for _ in range(3))
    Image.objects.filter(pk=own.pk).update(author=user)
    EventFactory(image=kept, status="private")
    VenueFactory(image=public)
    query = {"app_label": "calendar_app", "model_name": "event", "field_name": "image"}

    found = client.get(reverse("admin:autocomplete"), query).json()["results"]
    listed = client.get(reverse("admin:calendar_app_image_changelist")).context["cl"].queryset
    page = client.get(change_url(kept))
    made = client.post(
        add_url("organizer"), {"name": "Guild", "status": "publish", "image": kept.pk}
    )

    assert {item["id"] for item in found} == {str(own.pk), str(public.pk)}
    assert set(listed) == {own, public}
    assert page.status_code == 302
    assert set(errors(made)) == {"image"}


def test_deleting_an_image_leaves_its_event(client, user):
    image = images.store(SimpleUploadedFile("a.png", photo()))
    event = EventFactory(image=image)

    client.post(delete_url(image), {"post": "yes"})

    event.refresh_from_db()
    assert event.image is None


@pytest.mark.parametrize("factory", [EventFactory, VenueFactory, OrganizerFactory])
class TestBulkActions:
    def act(self, client, name, records):
        """Do an action to records from a list that shows the trash too; return what is said."""
        model = type(records[0])
        url = reverse(f"admin:calendar_app_{model._meta.model_name}_changelist")
        sent = {"action": name, "_selected_action": [record.pk for record in records]}
        statuses = {record.status for record in records}
        query = f"?status={Status.TRASH}" if statuses == {Status.TRASH} else ""
        response = client.post(url + query, sent, follow=True)
        for record in records:
            record.refresh_from_db()
        return [str(message) for message in response.context["messages"]]

    def test_publish(self, client, user, factory):
        drafts = [factory(status=Status.DRAFT) for _ in range(2)]
        name = factory._meta.model._meta.verbose_name_plural

        said = self.act(client, "publish", drafts)

        assert [record.status for record in drafts] == ["publish", "publish"]
        assert said == [f"Published: 2 {name}."]

    def test_trash_and_restore(self, client, user, factory):
        record = factory(status=Status.PENDING)

        self.act(client, "trash", [record])
        assert record.status == Status.TRASH

        self.act(client, "restore", [record])
        assert record.status == Status.PENDING

    @as_role("Author")
    def test_what_is_not_ones_own_is_left_and_named(self, client, user, factory):
        own, other = factory(author=user), factory()

        said = self.act(client, "trash", [own, other])

        assert (own.status, other.status) == ("trash", "publish")
        assert said[1].endswith(f"“{other}” is not yours to delete.")

    @as_role("Contributor")
    def test_contributors_cannot_publish(self, client, user, factory):
        record = factory(author=user, status=Status.DRAFT)

        self.act(client, "publish", [record])

        assert record.status == Status.DRAFT

    @pytest.mark.parametrize(
        ("action", "status", "reason"),
        [
            ("publish", Status.TRASH, "is in the trash."),
            ("trash", Status.TRASH, "is already in the trash."),
            ("restore", Status.PUBLISH, "is not in the trash."),
        ],
    )
    def test_what_cannot_be_done_is_named(self, client, user, factory, action, status, reason):
        record = factory()
        if status == Status.TRASH:
            posts.trash(record)

        said = self.act(client, action, [record])

        assert record.status == status
        assert said[0].endswith(reason)


def test_a_term_without_a_name_is_refused(client, user):
    assert set(errors(client.post(add_url("tag"), {"name": ""}))) == {"name"}


def test_a_popup_is_closed_after_a_deletion(client, user):
    response = client.post(delete_url(VenueFactory()), {"post": "yes", "_popup": "1"})

    assert response.status_code == 200
    assert "admin/popup_response.html" in response.template_name


def test_no_part_of_the_admin_takes_the_name_of_anothers_own_method():
    for model, site in admin.site._registry.items():
        parts = [part for part in type(site).__mro__ if part.__module__.startswith("calendar_app")]
        own = [name for part in parts for name in vars(part) if re.match(r"_[a-z]", name)]
        assert len(own) == len({*own}), f"{model.__name__}: {sorted(own)}"


HTML = "<p>Come to the <strong>park</strong></p><ul><li>early</li></ul>"


@pytest.mark.attack
@as_role("Contributor")
@pytest.mark.parametrize("factory", [EventFactory, VenueFactory, CategoryFactory])
def test_who_may_only_look_reads_a_description_without_its_tags(client, user, factory):
    record = factory(description=HTML + "<script>attacked()</script><p onclick='attacked()'>!</p>")

    page = client.get(change_url(record)).content.decode()

    assert f'<div class="prose-content">{HTML}<p>!</p></div>' in page
    assert "attacked" not in page
    assert "&lt;p" not in page
    assert "new_image" not in page
    assert "prose-content" not in client.get(change_url(factory(description=""))).content.decode()


@pytest.mark.parametrize("factory", [VenueFactory, CategoryFactory])
def test_who_may_change_a_record_edits_its_description(factory, client, user):
    record = factory(name="First", description="<p>One</p>\n<p>two</p>")
    page = client.get(change_url(record)).content.decode()
    assert "data-editor" in page
    assert "prose-content" not in page
    sent = {"name": "Second", "slug": record.slug, "status": "publish", "date": ""}

    client.post(change_url(record), sent | {"description": "One\r\n\r\ntwo"})
    record.refresh_from_db()
    assert (record.name, record.description) == ("Second", "<p>One</p>\n<p>two</p>")
    client.post(change_url(record), sent | {"description": "Three\r\n\r\nfour"})
    record.refresh_from_db()
    assert record.description == "<p>Three</p>\n\n<p>four</p>"


@as_role("Author")
def test_the_page_of_an_event_offers_what_its_reader_may_open(client, user):
    own, other = EventFactory(author=user), EventFactory()
    reader = UserFactory(is_staff=True)
    reader.user_permissions.add(Permission.objects.get(codename="view_event"))

    assert offered(client, own) == {"Dates", "Duplicate", "Preview", "View in the API"}
    assert offered(client, other) == {"Duplicate", "Preview", "View in the API"}
    client.force_login(reader)
    assert offered(client, other) == {"Preview", "View in the API"}
    for page in ("duplicate", "repeats"):
        assert client.get(f"/admin/calendar_app/event/{other.pk}/{page}/").status_code == 403


def offered(client, event):
    """Return the pages that the page of an event leads to."""
    response = client.get(f"/admin/calendar_app/event/{event.pk}/change/")
    return {each["title"] for each in response.context["actions_detail"]}
