from calendar_app.api import representations
from calendar_app.api.representations import Urls
from calendar_app.models import Image

URLS = Urls("https://example.org")
THUMBNAIL = {"width": 150, "height": 150, "mime-type": "image/jpeg", "filesize": 4000}


def test_an_image_with_its_sizes():
    picture = Image(
        pk=7,
        file="calendar/2027/03/hall one.jpg",
        width=1600,
        height=900,
        filesize=250000,
        sizes={"thumbnail": {**THUMBNAIL, "file": "calendar/2027/03/hall-150.jpg"}},
    )
    folder = "https://example.org/media/calendar/2027/03"
    expected = {
        "url": f"{folder}/hall%20one.jpg",
        "id": 7,
        "extension": "jpg",
        "width": 1600,
        "height": 900,
        "filesize": 250000,
        "sizes": {"thumbnail": {**THUMBNAIL, "url": f"{folder}/hall-150.jpg"}},
    }

    found = representations.image(picture, URLS)

    assert found == expected
    assert list(found) == list(expected)
    assert list(found["sizes"]["thumbnail"]) == list(expected["sizes"]["thumbnail"])


def test_no_image_is_false():
    assert representations.image(None, URLS) is False
