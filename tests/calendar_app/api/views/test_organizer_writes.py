import pytest

from calendar_app.models import Organizer

from ...support.factories import OrganizerFactory
from ...support.writing import change, create, refused

pytestmark = pytest.mark.django_db

FULL = {
    "organizer": "Ann & Co",
    "description": "<p>Old</p>",
    "phone": "+1 2",
    "website": "https://example.org/",
    "email": "ann@example.org",
}


def test_an_organizer_is_what_was_written():
    answer = create("organizers", FULL)

    made = answer.json()
    assert answer.status_code == 201
    assert {name: made[name] for name in FULL} == FULL
    assert made["slug"] == "ann-co"


def test_an_organizer_needs_a_name():
    answer = create("organizers", {"email": "ann@example.org"})

    assert refused(answer, code="rest_missing_callback_param") == ["organizer"]


@pytest.mark.parametrize("name", ["description", "phone", "website", "email"])
@pytest.mark.parametrize("nothing", [None, "", []])
def test_a_text_is_cleared(name, nothing):
    organizer = Organizer.objects.get(pk=create("organizers", FULL).json()["id"])

    answer = change(organizer, {name: nothing})

    assert answer.status_code == 200
    assert name not in answer.json()


@pytest.mark.parametrize(
    "email",
    [
        "ann",
        "ann@",
        "@example.org",
        "a b@example.org",
        "ann@example.org\0",
        '"\x0b"@a.org',
        5,
        "a" * 255,
    ],
)
def test_an_email_must_be_one(email):
    sentences = refused(create("organizers", FULL | {"email": email}))

    assert list(sentences) == ["email"]
    assert "email" in sentences["email"]
    assert "{" not in sentences["email"]


def test_a_new_organizer_of_a_known_name_completes_it():
    organizer = OrganizerFactory(name="ann & CO", phone="1")

    answer = create("organizers", FULL)

    organizer.refresh_from_db()
    assert (answer.status_code, answer.json()["id"]) == (201, organizer.pk)
    assert (organizer.name, organizer.phone, organizer.email) == (
        "ann & CO",
        "1",
        "ann@example.org",
    )


def test_an_update_changes_what_it_names():
    organizer = OrganizerFactory(phone="1", email="ann@example.org")

    answer = change(organizer, {"phone": 2, "id": 99, "event": 7})

    organizer.refresh_from_db()
    assert answer.status_code == 200
    assert (organizer.phone, organizer.email) == ("2", "ann@example.org")
