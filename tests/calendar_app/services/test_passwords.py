"""Guesses of the passwords of events, at the API and at the pages."""

import pytest
from time_machine import travel

from calendar_app.exceptions import TooManyPasswords
from calendar_app.models import WrongPassword
from calendar_app.services import passwords
from calendar_app.services.revision import current

from ..support.api_client import P
from ..support.factories import EventFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def event():
    return EventFactory(slug="feast", password="open")


@pytest.fixture(params=["api", "page"])
def give(request, client):
    """Return a function that gives a password for an event at one of its doors."""

    def at_api(password, event, **meta):
        return client.get(f"{P}/events/{event.pk}", {"password": password}, **meta)

    def at_page(password, event, **meta):
        return client.post(f"/event/{event.slug}/", {"password": password}, **meta)

    return at_api if request.param == "api" else at_page


def guess(give, event, times=10, **meta):
    return [give(f"wrong {number}", event, **meta).status_code for number in range(times)]


def test_ten_wrong_ones_are_answered_and_then_the_right_one_is_refused_too(give, event):
    with travel("2030-01-01T12:00:00Z", tick=False) as now:
        assert guess(give, event, 11) == [403] * 10 + [429]
        now.shift(100)
        response = give("open", event)
        now.shift(200)

        assert give("open", event).status_code == 200
    assert (response.status_code, response["Retry-After"]) == (429, "200")
    assert "Too many wrong passwords. Try again in 200 seconds." in response.content.decode()


def test_what_was_guessed_at_the_page_counts_at_the_api(client, event):
    for number in range(10):
        client.post("/event/feast/", {"password": f"{number}"})

    answer = client.get(f"{P}/events/by-slug/feast", {"password": "open"})

    assert (answer.status_code, answer.json()["code"]) == (429, "rest_too_many_requests")


def test_other_events_and_addresses_need_not_wait(give, event):
    other = EventFactory(password="open")
    guess(give, event)

    assert give("open", other).status_code == 200
    assert give("open", event, REMOTE_ADDR="192.0.2.7").status_code == 200


def test_who_guesses_at_many_events_has_to_wait(give, event, monkeypatch):
    monkeypatch.setattr(passwords, "MAX_FOR_ALL", 3)
    for _ in range(3):
        assert give("x", EventFactory(password="open")).status_code == 403

    assert give("open", event).status_code == 429
    assert give("open", event, REMOTE_ADDR="192.0.2.7").status_code == 200


def test_an_ipv6_network_is_one_address(give, event):
    for number in range(10):
        give("x", event, REMOTE_ADDR=f"2001:db8::{number}")

    assert give("open", event, REMOTE_ADDR="2001:db8::ffff:1").status_code == 429
    assert give("open", event, REMOTE_ADDR="2001:db8:0:1::1").status_code == 200


def test_behind_a_proxy_the_visitor_is_limited(give, event, settings):
    settings.BEHIND_PROXY = True
    guess(give, event, HTTP_X_FORWARDED_FOR="1.1.1.1, 192.0.2.7")

    assert give("open", event, HTTP_X_FORWARDED_FOR="2.2.2.2, 192.0.2.7").status_code == 429
    assert give("open", event, HTTP_X_FORWARDED_FOR="192.0.2.8").status_code == 200


def test_no_password_is_no_guess(give, event):
    assert [give("", event).status_code for _ in range(12)] == [403] * 12
    assert not WrongPassword.objects.exists()


def test_nobody_tries_more_passwords_at_the_same_time_than_one_after_the_other(
    rf, event, monkeypatch
):
    """Others may fail between the look at the limit and the comparison."""
    check = type(event).check_password

    def check_while_others_guess(event, raw):
        for _ in range(10):
            WrongPassword.objects.create(event=event, network="127.0.0.1")
        return check(event, raw)

    monkeypatch.setattr(type(event), "check_password", check_while_others_guess)

    for password in ("open", "wrong"):
        WrongPassword.objects.all().delete()
        with pytest.raises(TooManyPasswords):
            passwords.opens(event, password, rf.get("/"))


def test_old_guesses_are_swept_away_by_new_ones(give, event, monkeypatch):
    monkeypatch.setattr(passwords, "SWEEP", 6)
    with travel("2030-01-01T12:00:00Z", tick=False) as now:
        guess(give, event, 8)
        now.shift(301)
        counts = [guess(give, event, 1) and WrongPassword.objects.count() for _ in range(2)]

    assert counts == [3, 2]


def test_a_wrong_one_leaves_kept_answers_in_use(give, event):
    stamp = current().stamp

    assert guess(give, event, 1) == [403]
    assert current().stamp == stamp


def test_without_a_setting_the_address_is_that_of_the_connection(give, event, settings):
    settings.CALENDAR_CLIENT_ADDRESS = ""

    guess(give, event, 1, REMOTE_ADDR="2001:db8::1")

    assert WrongPassword.objects.get().network == "2001:db8::/64"
