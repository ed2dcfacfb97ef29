"""The hash of passwords: few at once, and none for one that was right a short while ago."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib.auth import hashers as django_hashers
from rest_framework.exceptions import Throttled
from rest_framework.test import APIClient

from backup_app.accounts import throttling
from backup_app.accounts.throttling import LoginThrottle
from backup_app.models import LoginAttempt
from config.logins import hashers
from config.logins.hashers import Argon2PasswordHasher, Gate, Remembered


@pytest.fixture(autouse=True)
def argon2(settings):
    settings.PASSWORD_HASHERS = ["config.logins.hashers.Argon2PasswordHasher"]


@pytest.fixture
def made(monkeypatch):
    """The passwords that were hashed to be compared, in a list."""
    made, verify = [], django_hashers.Argon2PasswordHasher.verify
    monkeypatch.setattr(
        django_hashers.Argon2PasswordHasher,
        "verify",
        lambda self, password, encoded: made.append(password) or verify(self, password, encoded),
    )
    return made


@pytest.fixture
def closed(monkeypatch):
    """Let every hash that is asked for be one too many."""
    monkeypatch.setattr(hashers, "gate", Gate(at_once=1, waiting=0, wait=0, patience=0))
    with hashers.gate.turn():
        yield


def test_the_hash_is_that_of_django():
    encoded = django_hashers.make_password("right")

    assert django_hashers.Argon2PasswordHasher().verify("right", encoded)
    assert django_hashers.check_password("right", encoded)
    assert not django_hashers.check_password("wrong", encoded)


def test_a_hash_takes_one_thread_and_others_can_still_be_compared():
    older = django_hashers.Argon2PasswordHasher().encode("right", "a" * 22)

    assert "p=1$" in django_hashers.make_password("right")
    assert "p=8$" in older
    assert django_hashers.check_password("right", older)


def test_a_right_password_is_hashed_once(made):
    encoded = django_hashers.make_password("right")

    results = [django_hashers.check_password(each, encoded) for each in ("right", "wrong") * 2]

    assert results == [True, False] * 2
    assert made == ["right", "wrong", "wrong"]


def test_a_new_hash_of_the_same_password_is_compared_anew(made):
    for _ in range(2):
        assert django_hashers.check_password("right", django_hashers.make_password("right"))

    assert made == ["right", "right"]


def test_what_was_not_used_for_an_hour_is_forgotten(monkeypatch):
    now = 0.0
    monkeypatch.setattr(hashers.time, "monotonic", lambda: now)
    remembered = Remembered()
    remembered.add("right", "hash")

    assert remembered.has("right", "hash")
    assert not remembered.has("right", "other hash")
    now = 3600.0
    assert not remembered.has("right", "hash")


def test_only_so_many_are_remembered(monkeypatch):
    monkeypatch.setattr(hashers, "MAX_REMEMBERED", 2)
    remembered = Remembered()
    for password in ("a", "b", "a", "c"):
        remembered.add(password, "hash")

    assert [remembered.has(each, "hash") for each in "abc"] == [True, False, True]


def test_concurrent_hashes_and_waiting_ones_are_limited():
    gate, leave = Gate(at_once=2, waiting=1, wait=60, patience=60), threading.Event()
    inside, most = [], []

    def enter(number):
        try:
            with gate.turn():
                inside.append(number)
                most.append(len(inside))
                leave.wait(60)
                inside.remove(number)
        except Throttled as e:
            # By then three threads are inside or waiting.
            leave.set()
            return e.wait
        return None

    with ThreadPoolExecutor(24) as pool:
        waits = list(pool.map(enter, range(24)))

    assert max(most) <= 2
    assert waits.count(None) >= 3
    assert 1 in waits


def test_a_wait_for_a_hash_times_out():
    gate = Gate(at_once=1, waiting=1, wait=0.01, patience=0.01)
    with gate.turn():
        for _ in range(3):
            with pytest.raises(Throttled), gate.turn():
                pass
    for _ in range(3):
        with gate.turn():
            pass


def test_known_logins_may_wait_in_any_number():
    gate = Gate(at_once=1, waiting=0, wait=0, patience=60)

    def enter(number):
        throttling._is_known.set(True)
        with gate.turn():
            time.sleep(0.01)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(enter, range(24)))


@pytest.mark.django_db
def test_a_known_login_costs_one_hash():
    LoginThrottle("sam", "192.0.2.1").succeeded()
    known = []
    for login in ("sam", "bob"):
        LoginThrottle(login, "192.0.2.1").check()
        known += [throttling.is_known_caller(), throttling.is_known_caller()]

    assert known == [True, False, False, False]


class TestRefusal:
    """Of one hash too many: 429 at every door, and no failure of whoever is refused."""

    pytestmark = pytest.mark.django_db

    def refused(self, response):
        assert (response.status_code, response["Retry-After"]) == (429, "1")
        assert not LoginAttempt.objects.exists()
        return response

    @pytest.mark.parametrize("address", ["/calendar/events/v1/events", "/api/status/1"])
    def test_at_the_apis(self, closed, address):
        client = APIClient()
        client.credentials(HTTP_AUTHORIZATION="Basic YTpi")

        body = self.refused(client.get(address)).json()

        assert body["code"] in {"rest_too_many_requests", "too_many_attempts"}

    def test_at_the_login_page(self, closed, client):
        response = client.post("/admin/login/", {"username": "ann", "password": "x"})

        assert "Too many passwords" in self.refused(response).content.decode()

    def test_at_the_page_of_an_event(self, client, monkeypatch):
        from tests.calendar_app.support.factories import EventFactory

        event = EventFactory(password="open")
        monkeypatch.setattr(hashers, "gate", Gate(at_once=1, waiting=0, wait=0, patience=0))
        with hashers.gate.turn():
            response = client.post(f"/event/{event.slug}/", {"password": "open"})

        self.refused(response)


def test_the_project_uses_it():
    from config import settings

    assert settings.PASSWORD_HASHERS[0] == (
        f"{Argon2PasswordHasher.__module__}.{Argon2PasswordHasher.__name__}"
    )
