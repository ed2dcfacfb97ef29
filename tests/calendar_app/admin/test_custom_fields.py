"""Custom fields of an event as rows."""

import pytest
from django.urls import reverse

from calendar_app.models import Event

from ..support.factories import EventFactory
from .test_events import ADD, change_url, errors, page

pytestmark = pytest.mark.django_db


def rows(*found):
    """Return what rows of (name, value, kind) send."""
    sent = {"custom_fields-count": len(found)}
    for number, row in enumerate(found):
        for end, text in zip(("name", "value", "kind"), row, strict=True):
            sent[f"custom_fields-{number}-{end}"] = text
    return sent


def send(client, url, *found):
    fields = page(**rows(*found))
    del fields["custom_fields"]
    return client.post(url, fields)


def test_rows_are_shown_and_saved(client, user):
    event = EventFactory(custom_fields={"Room": "B12", "Seats": 40, "Doors": ["A"]}, author=user)
    html = client.get(change_url(event)).content.decode()
    assert 'value="B12"' in html
    assert 'name="custom_fields-4-name"' in html  # one of two empty rows

    send(
        client,
        change_url(event),
        ("Room", "B13", "text"),
        ("Seats", "41", "json"),
        ("", "", "text"),
        ("Speaker", "Ann “the voice” & Bob", "text"),
    )

    event.refresh_from_db()
    assert event.custom_fields == {
        "Room": "B13",
        "Seats": 41,
        "Speaker": "Ann “the voice” & Bob",
    }


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ([("", "B12", "text")], "The custom field with the value “B12” needs a name."),
        ([("A", "1", "text"), ("A", "2", "text")], "There are two custom fields “A”."),
        ([("A", "{", "json")], "The value of the custom field “A” is not JSON: “{”."),
        ([("A", "a\0b", "text")], "NUL"),
    ],
)
def test_a_wrong_row_is_shown_again_with_a_sentence(client, user, row, sentence):
    response = send(client, reverse(ADD), *row)

    found = response.context["adminform"].form.errors["custom_fields"]
    assert sentence in found[0]
    assert 'name="custom_fields-0-name"' in response.content.decode()
    assert not Event.objects.exists()


@pytest.mark.parametrize("sent", ["[1]", "{"])
def test_json_is_still_accepted_and_shown_as_it_was_sent(client, user, sent):
    assert set(errors(client, reverse(ADD), custom_fields=sent)) == {"custom_fields"}


def test_an_absurd_number_of_rows_is_ignored(client, user):
    fields = page(**{"custom_fields-count": "9" * 30})
    del fields["custom_fields"]

    assert client.post(reverse(ADD), fields).status_code == 302
