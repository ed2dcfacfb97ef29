import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import MD5PasswordHasher
from rest_framework.test import APIClient
from time_machine import travel
from urllib3 import make_headers

from backup_app.accounts import api_keys
from backup_app.accounts.throttling import WIDER
from backup_app.models import LoginAttempt

pytestmark = pytest.mark.django_db
ATTEMPTS = 10
EVENTS = "/calendar/events/v1/events"


@pytest.fixture(autouse=True)
def ann():
    return get_user_model().objects.create_superuser("ann", "ann@example.org", "right")


def ask(password, login="ann", **meta):
    client = APIClient()
    return client.get(EVENTS, headers={"Authorization": basic(login, password)}, **meta)


def basic(login, password):
    made = make_headers(basic_auth=f"{login}:{password}", basic_auth_encoding="utf-8")
    return made["authorization"]


def guess(times=ATTEMPTS, **options):
    return [ask(f"wrong {number}", **options).status_code for number in range(times)]


def test_a_right_password_is_accepted_as_often_as_one_likes():
    assert [ask("right").status_code for _ in range(ATTEMPTS + 2)] == [200] * (ATTEMPTS + 2)


def test_too_many_wrong_passwords_block_the_right_one_too():
    with travel("2030-01-01T12:00:00Z", tick=False) as now:
        assert guess(ATTEMPTS + 1) == [401] * ATTEMPTS + [429]
        now.shift(100)
        response = ask("right")
        now.shift(201)

        assert ask("right").status_code == 200
    assert (response.status_code, response["Retry-After"]) == (429, "200")
    assert response.json()["code"] == "rest_too_many_requests"


def test_wrong_keys_of_many_logins_fill_no_table():
    few = WIDER * ATTEMPTS
    key = api_keys.make(get_user_model().objects.get(), "key")[1]

    answers = [ask(f"bk_{'0' * 12}_x", login=f"{n}@example.org").status_code for n in range(40)]

    assert answers == [401] * few + [429] * (40 - few)
    assert LoginAttempt.objects.count() == few
    assert ask(key, login="ann@example.org").status_code == 200


def test_other_visitors_are_not_limited():
    get_user_model().objects.create_user("bob", "bob@example.org", "also right")
    guess()

    assert ask("also right", login="bob").status_code == 200
    assert ask("right", REMOTE_ADDR="192.0.2.7").status_code == 200


def test_behind_a_proxy_the_visitor_is_limited(settings):
    settings.BEHIND_PROXY = True
    guess(HTTP_X_FORWARDED_FOR="1.1.1.1, 192.0.2.7")

    assert ask("right", HTTP_X_FORWARDED_FOR="2.2.2.2, 192.0.2.7").status_code == 429
    assert ask("right", HTTP_X_FORWARDED_FOR="1.1.1.1, 192.0.2.8").status_code == 200


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("192.0.2.7:1000", "192.0.2.7:2000"),
        ("192.0.2.7:1000", "192.0.2.7"),
        ("[2001:db8::1]:1000", "2001:db8::2"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
    ],
)
def test_a_proxy_may_write_an_address_in_several_ways(settings, first, then):
    settings.BEHIND_PROXY = True
    guess(HTTP_X_FORWARDED_FOR=first)

    assert ask("right", HTTP_X_FORWARDED_FOR=then).status_code == 429


def test_without_a_proxy_forwarded_addresses_are_ignored():
    guess(HTTP_X_FORWARDED_FOR="192.0.2.7")

    assert ask("right", HTTP_X_FORWARDED_FOR="192.0.2.8").status_code == 429


def test_the_admin_shares_its_limit_with_the_apis(client):
    guess()

    response = client.post("/admin/login/", {"username": "ann", "password": "right"})

    assert response.status_code == 429
    assert int(response["Retry-After"]) > 290
    assert "Too many wrong logins." in response.content.decode()
    assert "_auth_user_id" not in client.session


@pytest.mark.parametrize("login", ["ANN", "Ann", "\uff41nn"])
def test_letter_case_and_width_do_not_make_another_login(login):
    guess(login=login)

    assert ask("right").status_code == 429


def test_wrong_passwords_for_many_logins_are_limited():
    for number in range(WIDER * ATTEMPTS):
        assert ask("x", login=f"nobody {number}").status_code == 401

    assert ask("x", login="another").status_code == 429
    assert ask("x", login="another", REMOTE_ADDR="192.0.2.7").status_code == 401


def test_wrong_passwords_from_many_addresses_are_limited():
    for number in range(WIDER * ATTEMPTS):
        assert ask("x", REMOTE_ADDR=f"192.0.2.{number}").status_code == 401

    assert ask("right", REMOTE_ADDR="192.0.2.99").status_code == 429
    assert ask("x", login="bob", REMOTE_ADDR="192.0.2.99").status_code == 401


def test_the_addresses_of_one_ipv6_network_are_one():
    for number in range(ATTEMPTS):
        assert ask("x", REMOTE_ADDR=f"2001:db8::{number}").status_code == 401

    assert ask("right", REMOTE_ADDR="2001:db8::1:2:3:4").status_code == 429
    assert ask("right", REMOTE_ADDR="2001:db8:0:1::1").status_code == 200


def test_wrong_passwords_from_elsewhere_do_not_block_a_known_address():
    assert ask("right").status_code == 200
    for number in range(WIDER * ATTEMPTS):
        ask("x", REMOTE_ADDR=f"192.0.2.{number}")
        ask("x", login=f"nobody {number}")

    assert ask("right").status_code == 200
    assert ask("right", REMOTE_ADDR="192.0.2.99").status_code == 429
    assert ask("x", login="nobody").status_code == 429


def test_a_login_through_a_session_is_not_held_up(ann, client):
    client.force_login(ann)
    guess()

    assert client.get(EVENTS).status_code == 200


class TestApiKeys:
    """A key of the backup service, with the account's e-mail address, is as good as a password."""

    NEW = {"title": "Fair", "start_date": "2030-03-01", "end_date": "2030-03-02"}

    def post(self, login, password):
        headers = {"Authorization": basic(login, password)}
        return APIClient().post(EVENTS, self.NEW, headers=headers).status_code

    def test_an_event_is_written_with_one(self, ann):
        _, text = api_keys.make(ann)

        assert self.post("Ann@example.org", text) == 201

    def test_it_fits_its_own_account_only(self, ann):
        get_user_model().objects.create_superuser("bob", "bob@example.org", "right")
        _, text = api_keys.make(ann)

        assert self.post("bob@example.org", text) == 401

    def test_a_revoked_one_is_refused(self, ann):
        key, text = api_keys.make(ann)
        api_keys.revoke(key.prefix)

        assert self.post("ann@example.org", text) == 401

    def test_too_many_wrong_keys_block_the_right_one_too(self, ann):
        _, text = api_keys.make(ann)
        for number in range(ATTEMPTS):
            self.post("ann@example.org", f"{text}{number}")

        assert self.post("ann@example.org", text) == 429

    def test_wrong_passwords_of_others_do_not_block_an_api_key(self, ann):
        _, text = api_keys.make(ann)
        for number in range(WIDER * ATTEMPTS):
            ask("x", login=f"nobody {number}")

        assert self.post("ann@example.org", text) == 201

    def test_it_costs_no_hash(self, ann, monkeypatch):
        _, text = api_keys.make(ann)
        monkeypatch.setattr(MD5PasswordHasher, "encode", None)

        assert self.post("ann@example.org", text) == 201
        assert self.post("ann@example.org", f"{text}x") == 401

    def test_it_opens_no_admin(self, ann, client):
        _, text = api_keys.make(ann)

        assert not client.login(username="ann", password=text)
        assert not client.login(username="ann@example.org", password=text)
