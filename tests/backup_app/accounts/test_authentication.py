"""Who may log in to the API, and who is slowed."""

from datetime import timedelta

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher, make_password
from django.utils import timezone
from rest_framework.test import APIClient
from time_machine import travel

from backup_app.accounts import api_keys, authentication
from backup_app.accounts.throttling import LoginThrottle
from backup_app.exceptions import TooManyAttempts
from backup_app.models import ApiKey, AuditEntry

from ..support.api_client import client_of, client_with
from ..support.factories import AccountFactory, ClientFactory, JobFactory, SubuserFactory

pytestmark = pytest.mark.django_db

WRONG = {
    "error": "The login or the API key or password is wrong.",
    "code": "wrong_credentials",
    "fields": {},
}


@pytest.fixture
def job():
    return JobFactory()


def status_of(client, job, **headers):
    return client.get(f"/api/status/{job.pk}", **headers).status_code


def refusals():
    return list(AuditEntry.objects.order_by("pk").values_list("login", "outcome", "target"))


def test_an_account_logs_in_with_its_address_and_a_key(job):
    _, text = api_keys.make(job.account)

    assert status_of(client_with(job.account.email, text), job) == 200
    assert status_of(client_with(job.account.email.upper(), text), job) == 200
    assert not AuditEntry.objects.exists()


def test_a_login_notes_when_the_key_was_used(job):
    assert status_of(client_of(job.account), job) == 200

    assert ApiKey.objects.get().last_used is not None


def test_a_subuser_logs_in_with_its_password(job):
    subuser = SubuserFactory(account=job.account, password=make_password("xyz-37-abc"))
    subuser.clients.add(job.client)

    assert status_of(client_with(subuser.login, "xyz-37-abc"), job) == 200
    assert status_of(client_with(subuser.login, "xyz-37-abd"), job) == 401


@pytest.mark.parametrize("password", ["", "!", "anything"])
def test_a_subuser_without_a_password_cannot_log_in(job, password):
    subuser = SubuserFactory(account=job.account)

    assert status_of(client_with(subuser.login, password), job) == 401


def test_no_credentials_are_asked_for():
    response = APIClient().get("/api/status/1")

    assert response.status_code == 401
    assert response["WWW-Authenticate"] == 'Basic realm="backup"'
    assert response.json()["code"] == "credentials_missing"
    assert not AuditEntry.objects.exists()


def test_wrong_credentials_are_refused_and_noted(job):
    response = client_with("a@example.org", "wrong").get(f"/api/status/{job.pk}")

    assert response.status_code == 401
    assert response["WWW-Authenticate"] == 'Basic realm="backup"'
    assert response.json() == WRONG
    assert refusals() == [("a@example.org", "wrong login", f"/api/status/{job.pk}")]


@pytest.mark.parametrize(
    "header", ["Basic", "Basic a b", "Basic !!!", "Bearer abc", "Basic YQ==", ""]
)
def test_a_broken_header_is_401(job, header):
    client = APIClient()

    response = client.get(f"/api/status/{job.pk}", headers={"Authorization": header})

    assert response.status_code == 401
    assert response["WWW-Authenticate"] == 'Basic realm="backup"'


@pytest.mark.parametrize("login", ["", "a\0b", "é", "x" * 1000, "%00", "'"])
@pytest.mark.parametrize(
    "password", ["", "\0", "bk_000000000000_x", "bk_000000000000_\0", "é" * 500]
)
def test_any_text_is_a_wrong_credential(job, login, password):
    assert status_of(client_with(login, password), job) == 401


def test_the_key_of_another_account_is_refused(job):
    _, text = api_keys.make(AccountFactory())

    assert status_of(client_with(job.account.email, text), job) == 401


@pytest.mark.parametrize(
    "change",
    [
        {"expires": timezone.now() - timedelta(seconds=1)},
        {"revoked": timezone.now()},
        {"digest": "0" * 64},
    ],
)
def test_a_key_that_is_not_usable_is_refused(job, change):
    client = client_of(job.account)
    ApiKey.objects.update(**change)

    assert status_of(client, job) == 401


def test_nobody_of_a_closed_account_logs_in(job):
    subuser = SubuserFactory(account=job.account, password=make_password("xyz-37-abc"))
    subuser.clients.add(job.client)
    client = client_of(job.account)
    type(job.account).objects.update(is_active=False)

    assert status_of(client, job) == 401
    assert status_of(client_with(subuser.login, "xyz-37-abc"), job) == 401


def test_the_session_of_a_browser_is_no_login(job, client):
    client.force_login(job.account)

    assert client.get(f"/api/status/{job.pk}").status_code == 401


# --- Slowing down ---


def fail(login, times, address="192.0.2.9"):
    client = client_with(login, "wrong")
    return [client.get("/api/status/1", REMOTE_ADDR=address).status_code for _ in range(times)]


def test_ten_failures_a_minute_are_answered_and_then_the_right_key_is_refused_too(job):
    assert fail(job.account.email, 11) == [401] * 10 + [429]

    response = client_of(job.account).get(f"/api/status/{job.pk}", REMOTE_ADDR="192.0.2.9")

    assert response.status_code == 429
    assert 1 <= int(response["Retry-After"]) <= 60
    assert response.json() == {
        "error": f"Too many wrong logins. Try again in {response['Retry-After']} seconds.",
        "code": "too_many_attempts",
        "fields": {},
    }


def test_failures_limit_nobody_else(job):
    other = JobFactory()
    fail(job.account.email, 10)

    assert status_of(client_of(job.account), job, REMOTE_ADDR="192.0.2.10") == 200
    assert status_of(client_of(other.account), other, REMOTE_ADDR="192.0.2.9") == 200


def test_nine_failures_are_not_limited(job):
    fail(job.account.email, 9)

    assert status_of(client_of(job.account), job, REMOTE_ADDR="192.0.2.9") == 200


def test_a_minute_later_the_login_works_again(job):
    client = client_of(job.account)
    with travel("2030-01-01T12:00:00Z", tick=False) as now:
        fail(job.account.email, 10)
        assert status_of(client, job, REMOTE_ADDR="192.0.2.9") == 429
        now.shift(61)

        assert status_of(client, job, REMOTE_ADDR="192.0.2.9") == 200


def test_refused_attempts_do_not_prolong_the_limit(job):
    with travel("2030-01-01T12:00:00Z", tick=False) as now:
        fail(job.account.email, 10)
        now.shift(50)
        response = client_with(job.account.email, "x").get("/api/status/1", REMOTE_ADDR="192.0.2.9")

    assert (response.status_code, response["Retry-After"]) == (429, "10")
    assert AuditEntry.objects.get().count == 10


@pytest.mark.parametrize(
    ("login", "password"), [("sam", ""), ("a:b", "x"), ("x" * 101, "x"), ("a\nb", "x")]
)
def test_an_impossible_password_is_not_hashed(job, monkeypatch, login, password):
    monkeypatch.setattr(MD5PasswordHasher, "encode", None)

    assert authentication.subuser_of(login, password) is None


@pytest.mark.parametrize("login", ["sam", "nobody"])
def test_a_wrong_password_costs_one_hash_for_any_login(job, monkeypatch, login):
    SubuserFactory(account=job.account, login="sam", password=make_password("xyz-37-abc"))
    hashes, encode = [], MD5PasswordHasher.encode
    monkeypatch.setattr(
        MD5PasswordHasher, "encode", lambda *args: hashes.append(args) or encode(*args)
    )

    assert status_of(client_with(login, "xyz-37-abd"), job) == 401
    assert len(hashes) == 1


def test_many_logins_from_one_address_are_slowed_but_no_key(job):
    for number in range(30):
        assert fail(f"nobody {number}", 1) == [401]

    assert fail("another", 1) == [429]
    assert fail("another", 1, address="192.0.2.10") == [401]
    assert status_of(client_of(job.account), job, REMOTE_ADDR="192.0.2.9") == 200


def test_a_subuser_who_was_here_before_is_not_slowed_by_others(job):
    subuser = SubuserFactory(account=job.account, login="sam", password=make_password("xyz-37-abc"))
    subuser.clients.add(job.client)
    sam = client_with("sam", "xyz-37-abc")
    assert status_of(sam, job, REMOTE_ADDR="192.0.2.9") == 200
    for number in range(30):
        fail(f"nobody {number}", 1)
        fail("Sam", 1, address=f"192.0.2.{number + 10}")

    assert status_of(sam, job, REMOTE_ADDR="192.0.2.9") == 200
    assert status_of(sam, job, REMOTE_ADDR="192.0.2.99") == 429


class TestAtOnce:
    """Those who guess at the same time try no more passwords than one who guesses alone."""

    def test_the_failure_that_exceeds_the_limit_is_no_answer(self, db):
        throttles = [LoginThrottle("sam", "192.0.2.1") for _ in range(12)]
        for throttle in throttles:
            throttle.check()
        for throttle in throttles[:10]:
            throttle.failed()

        for throttle in throttles[10:]:
            with pytest.raises(TooManyAttempts):
                throttle.failed()

    def test_a_correct_password_after_the_limit_is_not_accepted(self, db):
        throttles = [LoginThrottle("sam", "192.0.2.1") for _ in range(11)]
        for throttle in throttles:
            throttle.check()
        for throttle in throttles[:10]:
            throttle.failed()

        with pytest.raises(TooManyAttempts):
            throttles[10].succeeded()


def test_an_account_sees_nothing_of_another(job):
    assert status_of(client_of(AccountFactory()), job) == 404


def test_a_subuser_is_forbidden_what_is_not_granted(job):
    subuser = SubuserFactory(account=job.account, password=make_password("xyz-37-abc"))
    client = client_with(subuser.login, "xyz-37-abc")

    response = client.get(f"/api/status/{job.pk}")

    assert response.status_code == 403
    assert response.json()["error"] == f"The job {job.pk} is not granted to '{subuser.login}'."
    assert refusals() == [(subuser.login, "refused", str(job.pk))]


def test_a_deleted_client_is_unknown_to_all(job):
    ClientFactory._meta.model.objects.update(deleted=timezone.now())

    assert status_of(client_of(job.account), job) == 404
