"""Who may read the metrics, and who tries to."""

import sys

import pytest
from django.test import Client

from tests.attacks import rounds

pytestmark = pytest.mark.django_db
TOKEN = "lighthouse-and-twelve-boats"
HEADERS = [
    "Forwarded",
    "Via",
    "X-Forwarded-For",
    "X-Forwarded-Host",
    "X-Forwarded-Proto",
    "X-Real-IP",
]
WRONG = [
    "",
    TOKEN,
    "Bearer",
    "Bearer ",
    f"Basic {TOKEN}",
    f"Bearer {TOKEN} x",
    f"Bearer  {TOKEN}",
    f"Bearer {TOKEN.upper()}",
    f"Bearer {TOKEN}é",
    f"Bearer {TOKEN},Bearer {TOKEN}",
]
PROXIES = {
    "SECURE_PROXY_SSL_HEADER": ("HTTP_X_FORWARDED_PROTO", "https"),
    "USE_X_FORWARDED_HOST": True,
    "USE_X_FORWARDED_PORT": True,
}


@pytest.fixture
def token(settings):
    settings.BACKUP_METRICS_TOKEN = TOKEN


def ask(peer="127.0.0.1", host="localhost", path="/metrics", **headers):
    return Client(REMOTE_ADDR=peer).get(path, headers={"Host": host, **headers})


def status(**request):
    return ask(**request).status_code


@pytest.mark.parametrize("peer", ["127.0.0.1", "127.8.8.8", "::1"])
@pytest.mark.parametrize("host", ["localhost", "localhost:8000", "127.0.0.1:8000", "[::1]:8000"])
def test_without_a_token_this_machine_reads_them(peer, host):
    answer = ask(peer, host)

    assert answer.status_code == 200
    assert "no-store" in answer["Cache-Control"]


@pytest.mark.parametrize("peer", ["192.0.2.7", "10.0.0.1", "::ffff:192.0.2.7", "", "localhost"])
def test_without_a_token_nobody_else_does(peer):
    answer = ask(peer)

    assert answer.status_code == 403
    assert answer.content == (
        b"Without BACKUP_METRICS_TOKEN only this machine itself may read the metrics.\n"
    )
    assert answer["Content-Type"].startswith("text/plain")
    assert "no-store" in answer["Cache-Control"]


@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("peer", ["127.0.0.1", "192.0.2.7"])
def test_a_forged_or_a_real_header_of_a_proxy_lets_nobody_in(header, peer):
    for value in ("127.0.0.1", "::1", "localhost", "for=127.0.0.1", "192.0.2.7, 127.0.0.1", ""):
        assert status(peer=peer, **{header: value}) == 403


@pytest.mark.parametrize("setting", PROXIES)
def test_behind_a_proxy_even_loopback_needs_a_token(settings, setting):
    setattr(settings, setting, PROXIES[setting])

    assert status() == 403
    settings.BACKUP_METRICS_TOKEN = TOKEN
    assert status(Authorization=f"Bearer {TOKEN}") == 200


def test_the_address_that_the_project_believes_does_not_count(settings):
    settings.BEHIND_PROXY = True

    assert status(peer="192.0.2.7", **{"X-Forwarded-For": "127.0.0.1"}) == 403


def test_a_proxy_without_headers_passes_on_a_name_that_is_not_this_machines(settings):
    settings.ALLOWED_HOSTS = ["*"]

    assert [status(host=host) for host in ("backup.example.org", "127.0.0.1.example.org")] == [
        403
    ] * 2


@pytest.mark.parametrize("scheme", ["Bearer", "bearer"])
def test_with_the_token_anybody_reads_them(token, scheme):
    answer = ask("192.0.2.7", Authorization=f"{scheme} {TOKEN}")

    assert answer.status_code == 200
    assert "no-store" in answer["Cache-Control"]


@pytest.mark.parametrize("given", WRONG)
@pytest.mark.parametrize("peer", ["127.0.0.1", "192.0.2.7"])
def test_another_token_is_refused(token, given, peer):
    answer = ask(peer, Authorization=given)

    assert answer.status_code == 403
    assert answer.content == b"The metrics need the right bearer token.\n"


def test_a_token_elsewhere_than_in_its_header_is_refused(token):
    queries = "token", "access_token", "authorization", "BACKUP_METRICS_TOKEN"

    assert {status(path=f"/metrics?{name}={TOKEN}") for name in queries} == {403}
    assert status(Cookie=f"token={TOKEN}") == 403
    assert status(**{"X-Token": TOKEN}) == 403


@pytest.mark.attack
def test_no_part_of_the_token_is_enough(token):
    parts = [TOKEN[:length] for length in range(len(TOKEN))]

    for part in parts * rounds(1, 20):
        assert status(Authorization=f"Bearer {part}") == 403


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_they_can_only_be_read(token, method):
    change = getattr(Client(enforce_csrf_checks=False), method)

    assert change("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 405


def test_a_login_is_no_token(token, staff, client):
    assert client.get("/metrics").status_code == 403


def test_without_the_package_there_are_none(monkeypatch):
    monkeypatch.setitem(sys.modules, "prometheus_client", None)

    answer = ask()

    assert answer.status_code == 404
    assert b"the package prometheus-client is missing" in answer.content
