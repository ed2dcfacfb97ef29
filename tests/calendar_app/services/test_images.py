import re

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage
from django.db import DatabaseError, transaction

from calendar_app.lib import fetch as fetching
from calendar_app.lib.fetch import FetchError
from calendar_app.models import Event, Image
from calendar_app.services import images, posts
from calendar_app.services.images import ImageError, ImageTooLargeError
from calendar_app.services.revision import current, writing

from ..support.factories import EventFactory, UserFactory, VenueFactory, make_image
from ..support.pictures import exif, opened, photo

pytestmark = pytest.mark.django_db


def upload(body, name="photo.png"):
    return ContentFile(body, name)


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


class TestStore:
    def test_keeps_the_picture_and_its_copies(self, media):
        user, body = UserFactory(), photo("JPEG")

        image = images.store(upload(body, "Town Hall.JPG"), author=user)

        image.refresh_from_db()
        assert (image.title, image.author, image.source_url) == ("Town Hall", user, "")
        assert (image.width, image.height, image.filesize) == (600, 400, len(body))
        assert image.file.open().read() == body
        assert re.fullmatch(r"calendar/\d{4}/\d\d/town-hall-[0-9a-f]{16}\.jpg", image.file.name)

    def test_describes_its_copies_as_they_are(self, media):
        image = make_image()

        sizes = image.sizes

        assert list(sizes) == ["thumbnail", "medium"]
        for size in sizes.values():
            path = media / size["file"]
            assert opened(path.read_bytes()).size == (size["width"], size["height"])
            assert (size["filesize"], size["mime-type"]) == (path.stat().st_size, "image/png")
        assert files(media) == sorted([image.file.name, *(size["file"] for size in sizes.values())])

    def test_describes_an_upright_picture_as_it_is_published(self, media):
        image = images.store(upload(photo("JPEG", exif=exif(6))))

        image.refresh_from_db()
        assert (image.width, image.height) == opened(image.file.open().read()).size == (400, 600)
        assert image.filesize == image.file.size

    @pytest.mark.parametrize(
        ("name", "expected"),
        [
            ("evil.php", "evil"),
            ("../../etc/passwd.png", "passwd"),
            ("<script>.html", "script"),
            ("фото.png", "image"),
            ("a\0b\u202e.png", "ab"),
            ("", "image"),
            ("." * 40, "image"),
            ("long" * 100 + ".png", "long" * 15),
        ],
    )
    def test_takes_no_more_than_a_hint_from_the_name(self, media, name, expected):
        image = images.store(upload(photo(), name))

        assert re.fullmatch(
            rf"calendar/\d{{4}}/\d\d/{expected}-[0-9a-f]{{16}}\.png", image.file.name
        )

    def test_takes_the_title_that_is_given(self, media):
        assert make_image(title="The hall").title == "The hall"

    def test_two_of_the_same_are_two(self, media):
        assert make_image().file.name != make_image().file.name
        assert len(files(media)) == 6

    def test_of_one_source_there_is_one(self, media):
        author = UserFactory()
        first = make_image(author, source_url="https://example.org/a.png")

        second = make_image(author, source_url="https://example.org/a.png")

        assert second == first
        assert len(files(media)) == 3

    def test_moves_the_revision_on(self, media):
        before = current().stamp

        make_image()

        assert current().stamp == before + 1

    def test_refuses_what_is_no_picture_by_name(self, media):
        with pytest.raises(ImageError) as caught:
            images.store(upload(b"hello", "notes.png"))

        sentence = "'notes.png' is not a JPEG, PNG, GIF, WebP or AVIF image."
        assert caught.value.message == sentence
        assert caught.value.data["params"] == {"file": sentence}
        assert files(media) == []

    def test_refuses_too_many_bytes(self, media, settings):
        body = photo()
        settings.CALENDAR_IMAGE_MAX_BYTES = len(body)

        images.store(upload(body))

        settings.CALENDAR_IMAGE_MAX_BYTES = len(body) - 1
        with pytest.raises(
            ImageTooLargeError, match=f"larger than the limit of {len(body) - 1} bytes"
        ):
            images.store(upload(body))

    def test_refuses_too_many_pixels(self, media, settings):
        settings.CALENDAR_IMAGE_MAX_PIXELS = 600 * 400 - 1

        with pytest.raises(ImageError, match="has 600 x 400 pixels"):
            images.store(upload(photo()))

    def test_leaves_nothing_when_the_row_cannot_be_written(self, media):
        nobody = UserFactory.build(pk=2**70)

        with pytest.raises((DatabaseError, OverflowError)), transaction.atomic():
            images.store(upload(photo()), author=nobody)

        assert files(media) == []
        assert not Image.objects.exists()

    def test_leaves_nothing_when_a_file_cannot_be_written(self, media, monkeypatch):
        save, saved = FileSystemStorage.save, []

        def full_disk(self, name, content, **kwargs):
            if len(saved) == 2:
                raise OSError("No space left on device")
            saved.append(save(self, name, content, **kwargs))
            return saved[-1]

        monkeypatch.setattr(FileSystemStorage, "save", full_disk)

        with pytest.raises(OSError, match="No space"):
            images.store(upload(photo()))

        assert len(saved) == 2
        assert files(media) == []


class TestDelete:
    def test_removes_the_files_in_the_end(self, media, django_capture_on_commit_callbacks):
        kept, image = make_image(), make_image()

        with django_capture_on_commit_callbacks(execute=True):
            image.delete()
            assert len(files(media)) == 6

        names = [kept.file.name, *(size["file"] for size in kept.sizes.values())]
        assert files(media) == sorted(names)

    def test_of_many_removes_the_files_of_all(self, media, django_capture_on_commit_callbacks):
        make_image(), make_image()

        with django_capture_on_commit_callbacks(execute=True):
            Image.objects.all().delete()

        assert files(media) == []

    def test_leaves_records_without_an_image(self, media):
        event = EventFactory(image=make_image())

        event.image.delete()

        event.refresh_from_db()
        assert event.image is None


class TestCheckUrl:
    @pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]", "169.254.169.254"])
    def test_refuses_a_private_address(self, host):
        with pytest.raises(ImageError) as caught:
            images.check_url(f"http://{host}/a.png")

        sentence = (
            f"'http://{host}/a.png' cannot be used as the URL of an image. "
            f"http://{host}/a.png leads to an address that is not public."
        )
        assert caught.value.data["params"] == {"image": sentence}

    def test_refuses_what_is_too_long_to_store(self):
        with pytest.raises(ImageError, match="longer than 2000 characters") as caught:
            images.check_url("http://8.8.8.8/".ljust(1900, "ä"))

        assert len(caught.value.message) < 250

    def test_returns_the_form_that_is_stored(self):
        assert images.check_url(" HTTP://8.8.8.8/ä#top ") == "http://8.8.8.8/%C3%A4"


def asked(post, url):
    """Ask for the image at url as a write does."""
    with writing():
        images.request(post, url)
        posts.save(post)


@pytest.fixture
def picture(published_site):
    """The URL of a picture on the public internet."""
    published_site.page("/hall.png", photo())
    return published_site.url("/hall.png")


class TestRequest:
    def test_is_a_promise_until_it_is_kept(self, media, picture):
        before = make_image()
        event = EventFactory(image=before)

        asked(event, picture)

        event.refresh_from_db()
        assert (event.image, event.image_url) == (before, picture)

    def test_of_a_known_image_is_kept_at_once(self, media):
        url = "https://example.org/a.png"
        user = UserFactory()
        image, event = make_image(user, source_url=url), EventFactory(author=user)

        asked(event, images.check_url(f" {url}#top"))

        event.refresh_from_db()
        assert (event.image, event.image_url) == (image, "")

    def test_another_image_ends_the_wait(self, media, picture):
        event, image = EventFactory(), make_image()
        asked(event, picture)

        images.assign(event, image)
        posts.save(event)

        assert images.fetch_requested(Event, event.pk, picture) is False
        event.refresh_from_db()
        assert (event.image, event.image_url) == (image, "")


class TestFulfil:
    def test_stores_the_image_and_tells_readers(self, media, picture):
        event = EventFactory(author=UserFactory())
        asked(event, picture)
        stamp = current().stamp

        assert images.fetch_requested(Event, event.pk, picture) is True

        event.refresh_from_db()
        assert (event.image.source_url, event.image.title) == (picture, "hall")
        assert (event.image.author, event.image_url) == (event.author, "")
        assert current().stamp > stamp

    @pytest.mark.parametrize(("path", "title"), [("/", "image"), ("/%00Big%2fHall.png", "Hall")])
    def test_names_the_image_by_its_address(self, media, published_site, path, title):
        published_site.page(path, photo())
        event = EventFactory()
        asked(event, published_site.url(path))

        images.fetch_requested(Event, event.pk, event.image_url)

        event.refresh_from_db()
        assert event.image.title == title

    def test_changes_nothing_else(self, media, picture):
        event = EventFactory(title="Old")
        asked(event, picture)
        fields = [field.attname for field in Event._meta.fields]
        before = Event.objects.values(*fields).get(pk=event.pk)

        images.fetch_requested(Event, event.pk, picture)

        after = Event.objects.values(*fields).get(pk=event.pk)
        changed = {name for name in fields if before[name] != after[name]}
        assert changed - {"modified", "modified_utc"} == {"image_id", "image_url"}

    def test_fetches_the_same_address_once(self, media, picture, published_site):
        event, venue = EventFactory(), VenueFactory()
        asked(event, picture)
        asked(venue, picture)

        images.fetch_requested(Event, event.pk, picture)
        images.fetch_requested(type(venue), venue.pk, picture)

        event.refresh_from_db(), venue.refresh_from_db()
        assert event.image == venue.image
        assert len(published_site.seen) == 1

    def test_fetches_nothing_for_a_record_that_is_gone(self, media, picture, published_site):
        event = EventFactory()
        asked(event, picture)
        pk = event.pk
        event.delete()

        assert images.fetch_requested(Event, pk, picture) is False
        assert published_site.seen == []

    def test_leaves_an_image_that_was_chosen_meanwhile(self, media, picture, monkeypatch):
        event, chosen, fetch = EventFactory(), make_image(), fetching.fetch
        asked(event, picture)

        def slowly(url, **limits):
            Event.objects.filter(pk=event.pk).update(image=chosen, image_url="")
            return fetch(url, **limits)

        monkeypatch.setattr(fetching, "fetch", slowly)

        assert images.fetch_requested(Event, event.pk, picture) is False
        event.refresh_from_db()
        assert event.image == chosen

    def test_is_refused_by_a_private_address(self, media, site):
        site.page("/hall.png", photo())
        event = EventFactory()
        asked(event, site.url("/hall.png"))

        with pytest.raises(FetchError, match="not public"):
            images.fetch_requested(Event, event.pk, site.url("/hall.png"))

        assert site.seen == []
