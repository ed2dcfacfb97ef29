"""Pictures that are dropped on the form of a record, or sent with it."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from playwright.sync_api import expect

from calendar_app.models import Event, Image

from ..support.factories import EventFactory, UserFactory
from ..support.pictures import photo
from .test_events import ADD, change_url, errors, saved

pytestmark = pytest.mark.django_db
UPLOAD = reverse("admin:calendar_app_image_upload")


def file(name="park.png", body=None):
    return SimpleUploadedFile(name, photo() if body is None else body)


def test_a_picture_that_is_sent_with_a_form_becomes_the_image(client, user):
    event = saved(client, reverse(ADD), new_image=file())

    assert (event.image.title, event.image.author) == ("park", user)


def test_a_picture_is_not_lost_by_an_error_in_another_field(client, user):
    response = client.post(reverse(ADD), {"title": "", "new_image": file()})

    form = response.context["adminform"].form
    assert form["image"].value() == Image.objects.get().pk
    assert not Event.objects.exists()


def test_no_picture_is_refused_with_a_sentence_in_place(client, user, settings):
    refused = errors(client, reverse(ADD), new_image=file("notes.txt", b"notes"))
    assert "'notes.txt' is not" in refused["new_image"][0]

    settings.CALENDAR_IMAGE_MAX_BYTES = 10
    answer = client.post(UPLOAD, {"file": file()})
    assert (answer.status_code, answer.json()["error"]) == (
        413,
        "'park.png' is larger than the limit of 10 bytes.",
    )
    assert client.post(UPLOAD).json() == {"error": "There is no file."}
    assert not Image.objects.exists()


def test_who_may_not_upload_images_is_not_heard(client):
    client.force_login(UserFactory(is_staff=True))

    assert client.post(UPLOAD, {"file": file()}).status_code == 403
    assert client.get(UPLOAD).status_code == 405
    assert not Image.objects.exists()


DROP = """([name, type, bytes]) => {
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array(bytes)], name, {type}));
    for (const kind of ["dragover", "drop"]) {
        const event = new DragEvent(kind, {dataTransfer: data, bubbles: true, cancelable: true});
        document.getElementById("id_title").dispatchEvent(event);
    }
}"""


# What Word puts into the clipboard: a picture of the text as well.
PASTE = """([image, text]) => {
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array(1)], "text.png", {type: image}));
    data.setData(text, "Fair");
    document.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true}));
}"""


@pytest.mark.django_db(transaction=True)
def test_a_picture_is_dropped_and_seen_at_once(viewer):
    event = EventFactory()
    page = viewer.page
    viewer.open(change_url(event))

    page.get_by_label("New image").set_input_files(
        {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"notes"}
    )
    expect(page.get_by_text("'notes.txt' is not")).to_be_visible()
    assert "400" in viewer.complaints.pop()  # the browser's, of the refusal
    page.evaluate(PASTE, ["image/png", "text/plain"])
    page.evaluate(DROP, ["park.png", "image/png", list(photo())])
    expect(page.get_by_alt_text("The new image, park")).to_be_visible()
    viewer.inspect("dropped", ".field-new_image")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("successfully")).to_be_visible()

    event.refresh_from_db()
    assert event.image == Image.objects.get(title="park")
