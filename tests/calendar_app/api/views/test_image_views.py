import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from calendar_app.models import Image

from ...support.api_client import P, client_of, get
from ...support.factories import EventFactory, UserFactory, VenueFactory, make_image
from ...support.pictures import photo
from ...support.writing import NEW, create_event, refused

pytestmark = pytest.mark.django_db

KEPT = [
    {"password": "sesame"},
    *({"status": status} for status in ("draft", "pending", "private", "future", "trash")),
]


def upload(client=None, body=None, name="Town Hall.png", **fields):
    file = SimpleUploadedFile(name, photo() if body is None else body)
    client = client or client_of(role="Contributor")
    return client.post(f"{P}/images", {"file": file, **fields}, format="multipart")


class TestUpload:
    def test_answers_the_image(self, media):
        answer = upload()

        image = Image.objects.get()
        base = f"http://testserver/media/{image.file.name.removesuffix('.png')}"
        thumbnail, medium = (media / image.sizes[size]["file"] for size in ("thumbnail", "medium"))
        assert answer.status_code == 201
        assert answer.json() == {
            "url": f"{base}.png",
            "id": image.pk,
            "extension": "png",
            "width": 600,
            "height": 400,
            "filesize": len(photo()),
            "sizes": {
                "thumbnail": {
                    "width": 150,
                    "height": 150,
                    "mime-type": "image/png",
                    "filesize": thumbnail.stat().st_size,
                    "url": f"{base}-thumbnail.png",
                },
                "medium": {
                    "width": 300,
                    "height": 200,
                    "mime-type": "image/png",
                    "filesize": medium.stat().st_size,
                    "url": f"{base}-medium.png",
                },
            },
        }

    def test_belongs_to_the_caller(self, media):
        user = UserFactory(role="Contributor")

        upload(client_of(user), title="The hall")

        assert Image.objects.values_list("author", "title").get() == (user.pk, "The hall")

    @pytest.mark.parametrize("role", ["Contributor", "Author", "Editor"])
    def test_is_for_whoever_may_write_events(self, media, role):
        assert upload(client_of(role=role)).status_code == 201

    def test_is_for_nobody_else(self, media):
        anonymous, reader = upload(client_of()), upload(client_of(UserFactory()))

        assert (anonymous.status_code, reader.status_code) == (401, 403)
        assert anonymous.json()["code"] == reader.json()["code"] == "rest_forbidden"
        assert not Image.objects.exists()

    def test_works_with_a_slash_at_the_end(self, media):
        client = client_of(role="Author")
        file = SimpleUploadedFile("a.png", photo())

        assert client.post(f"{P}/images/", {"file": file}, format="multipart").status_code == 201

    def test_can_be_the_image_of_an_event(self, media):
        editor, event = client_of(role="Editor"), EventFactory()
        image = upload(editor).json()

        changed = editor.patch(f"{P}/events/{event.pk}", {"image": str(image["id"])})

        assert changed.json()["image"] == image


class TestRefusal:
    def test_without_a_file_names_it(self, media):
        answer = client_of(role="Author").post(f"{P}/images", {"title": "x"}, format="multipart")

        assert answer.status_code == 400
        assert answer.json()["code"] == "rest_missing_callback_param"
        assert answer.json()["data"]["params"] == ["file"]

    @pytest.mark.parametrize(
        ("body", "sentence"),
        [
            (b"", "The file is empty."),
            (b"hello", "'Town Hall.png' is not a JPEG, PNG, GIF, WebP or AVIF image."),
        ],
    )
    def test_of_a_file_that_is_not_an_image_is_refused(self, media, body, sentence):
        answer = upload(body=body)

        assert answer.status_code == 400
        assert answer.json()["code"] == "rest_invalid_param"
        assert answer.json()["data"]["params"] == {"file": sentence}

    def test_of_a_text_in_place_of_a_file_says_so(self, media):
        answer = client_of(role="Author").post(f"{P}/images", {"file": "x"}, format="multipart")

        assert answer.status_code == 400
        assert answer.json()["data"]["params"] == {
            "file": "file must be an uploaded file, sent as multipart/form-data."
        }

    def test_of_a_title_that_is_too_long_names_it(self, media):
        assert list(upload(title="x" * 256).json()["data"]["params"]) == ["title"]

    def test_of_other_formats_of_a_body_is_415(self, media):
        answer = client_of(role="Author").post(f"{P}/images", {"file": "x"})

        assert (answer.status_code, answer.json()["data"]) == (415, {"status": 415})

    def test_of_a_large_file_is_413(self, media, settings):
        settings.CALENDAR_IMAGE_MAX_BYTES = len(photo()) - 1

        answer = upload()

        assert answer.status_code == answer.json()["data"]["status"] == 413
        assert f"larger than the limit of {len(photo()) - 1} bytes" in answer.json()["message"]

    def test_of_a_large_body_is_413(self, media, settings):
        settings.CALENDAR_IMAGE_MAX_BYTES = 1000

        answer = upload(body=b"x" * 200_000)

        assert (answer.status_code, answer.json()["code"]) == (413, "rest_payload_too_large")

    def test_larger_than_other_bodies_may_be_is_accepted(self, media, settings):
        settings.CALENDAR_MAX_BODY_BYTES = 100

        assert upload().status_code == 201


class TestRead:
    def test_gives_what_the_upload_gave(self, media):
        made = upload().json()

        answer = get(f"/images/{made['id']}", client=client_of(role="Editor"))

        assert (answer.status_code, answer.json()) == (200, made)

    def test_is_304_when_it_is_known(self, media):
        path = f"/images/{VenueFactory(image=make_image()).image_id}"

        again = get(path, **{"If-None-Match": get(path)["ETag"]})

        assert again.status_code == 304

    @pytest.mark.parametrize("pk", ["0", "999", "9" * 30])
    def test_of_an_unknown_one_is_404(self, pk):
        answer = get(f"/images/{pk}")

        assert (answer.status_code, answer.json()["code"]) == (404, "rest-image-not-found")

    def test_of_all_is_405(self):
        answer = get("/images")

        assert (answer.status_code, answer["Allow"]) == (405, "POST, OPTIONS")

    @pytest.mark.parametrize("kept", KEPT)
    def test_of_what_is_kept_from_the_public_is_for_its_authors_and_editors(self, media, kept):
        image = make_image(author=UserFactory(role="Contributor"))
        author = UserFactory(role="Author")
        EventFactory(image=image, author=author, **kept)
        users = [None, UserFactory(), UserFactory(role="Author"), image.author, author]

        codes = [get(f"/images/{image.pk}", client=client_of(user)).status_code for user in users]

        assert codes == [404, 404, 404, 200, 404 if kept.get("status") == "trash" else 200]
        assert get(f"/images/{image.pk}", client=client_of(role="Editor")).status_code == 200

    def test_of_one_that_nothing_has_is_for_who_uploaded_it_and_editors(self, media):
        image = make_image(author=UserFactory(role="Author"))
        clients = [client_of(), client_of(role="Author"), client_of(image.author)]

        codes = [get(f"/images/{image.pk}", client=client).status_code for client in clients]

        assert codes == [404, 404, 200]
        assert get(f"/images/{image.pk}", client=client_of(role="Editor")).status_code == 200

    def test_of_a_draft_is_for_all_once_something_public_has_it(self, media):
        image = make_image()
        EventFactory(image=image, status="draft")
        VenueFactory(image=image)

        assert get(f"/images/{image.pk}").status_code == 200


class TestAttach:
    """An image that one may not see is one that is not there."""

    @pytest.fixture
    def image(self, media):
        image = make_image(source_url="https://pictures.example/a.png")
        EventFactory(image=image, status="private")
        return image

    @pytest.fixture
    def address(self, image, names):
        names.add("testserver", "93.184.215.14")
        return f"http://testserver{image.file.url}"

    @pytest.mark.parametrize("collection", ["events", "venues", "organizers"])
    def test_by_id_or_by_its_url_is_refused(self, image, address, collection):
        author = client_of(role="Author")
        record = {**NEW, "venue": "Hall", "organizer": "Guild"}
        if collection == "events":
            del record["venue"], record["organizer"]

        for form in (image.pk, address, {"id": image.pk}, {"url": address}):
            answer = author.post(f"{P}/{collection}", {**record, "image": form})
            assert list(refused(answer)) == ["image"]
        assert get(f"/images/{image.pk}").status_code == 404

    def test_inside_of_an_event_is_refused(self, image):
        answer = create_event(
            role="Author", venue={"venue": "Hall", "image": image.pk}, organizer=[]
        )

        assert list(refused(answer)) == ["venue[0][image]"]

    def test_by_the_url_that_it_was_fetched_from_waits_for_another(self, image, names):
        names.add("pictures.example", "93.184.215.14")

        answer = create_event(role="Author", image=image.source_url)

        assert (answer.status_code, answer.json()["image"]) == (201, False)

    def test_is_for_editors_and_who_uploaded_it(self, image, address):
        image.author = UserFactory(role="Author")
        image.save()

        for client in (client_of(image.author), client_of(role="Editor")):
            assert create_event(client, image=image.pk).json()["image"]["id"] == image.pk
            assert create_event(client, image=address).json()["image"]["id"] == image.pk
