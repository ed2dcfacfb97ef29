"""What browsers are told about every answer."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from calendar_app.services import revision

NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

pytestmark = pytest.mark.django_db


def policy(response):
    """Return the policy of a response as a dict of directives."""
    parts = (part.partition(" ") for part in response["Content-Security-Policy"].split("; "))
    return {directive: sources for directive, _, sources in parts}


@pytest.fixture
def staff(client):
    client.force_login(User.objects.create_superuser("staff@example.org"))
    return client


@pytest.mark.parametrize("path", ["/", "/nothing/", "/event/nothing/", "/media/nothing.png"])
def test_a_page_without_scripts_runs_none(client, path):
    found = policy(client.get(path))

    assert found["default-src"] == "'none'"
    assert "script-src" not in found
    assert "unsafe" not in found.get("style-src", "") or "sandbox" in found


@pytest.mark.parametrize("path", ["/admin/login/", "/docs/", "/docs/?script=", "/redoc/"])
def test_a_page_with_scripts_runs_no_inline_ones(client, path):
    found = policy(client.get(path))

    assert found["default-src"] == found["frame-ancestors"] == found["base-uri"] == "'none'"
    assert "'unsafe-inline'" not in found["script-src"]


@pytest.mark.parametrize("path", ["/", "/admin/login/", "/docs/", "/redoc/", "/nothing/"])
def test_nothing_is_loaded_from_another_host(client, path):
    sources = {
        source for sources in policy(client.get(path)).values() for source in sources.split()
    }

    own = {"'none'", "'self'", "'unsafe-inline'", "'unsafe-eval'", "data:", "blob:"}
    assert sources <= own


@pytest.mark.parametrize("path", ["/healthz", "/schema/", "/calendar/nothing", "/api/nothing"])
def test_answers_other_than_pages_allow_no_scripts(client, path):
    found = policy(client.get(path))

    assert (found["default-src"], found["frame-ancestors"]) == ("'none'", "'none'")


def test_an_image_cannot_run_a_script_of_its_own(client, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    (tmp_path / "image.svg").write_text("<svg><script>alert(1)</script></svg>")

    response = client.get("/media/image.svg")

    assert response.status_code == 200
    assert "sandbox" in policy(response)
    assert policy(response)["default-src"] == "'none'"


def test_a_fault_has_a_policy(monkeypatch):
    monkeypatch.setattr("calendar_app.api.namespace.index", None)

    response = Client(raise_request_exception=False).get("/calendar/events/v1")

    assert response.status_code == 500
    assert response["Content-Security-Policy"] == NOTHING


def test_the_pages_on_faults_while_developing_keep_their_scripts(client, settings):
    settings.DEBUG = True

    assert "Content-Security-Policy" not in client.get("/nothing/")


@pytest.mark.parametrize("path", ["/", "/docs/", "/nothing/", "/admin/", "/admin/auth/user/"])
def test_no_cache_keeps_a_page_of_somebody_who_is_logged_in(staff, path):
    assert "no-store" in staff.get(path)["Cache-Control"]


@pytest.mark.parametrize("path", ["/", "/redoc/"])
def test_a_page_of_the_public_may_be_kept(client, path):
    assert "no-store" not in client.get(path).get("Cache-Control", "")


def test_files_may_be_kept_by_somebody_who_is_logged_in(staff):
    assert "no-store" not in staff.get("/static/config/site.css")["Cache-Control"]


def test_the_icon_that_browsers_ask_for_is_there(client):
    response = client.get("/favicon.ico", follow=True)

    assert response.status_code == 200
    assert response["Content-Type"] == "image/svg+xml"


def test_a_304_leaves_the_policy_of_the_page_as_it_is(client, settings):
    settings.CALENDAR_CONTENT_SECURITY_POLICY = ""
    revision.increment()
    etag = client.get("/events/month/2027-03/")["ETag"]

    known = client.get("/events/month/2027-03/", headers={"If-None-Match": etag})

    assert known.status_code == 304
    assert "Content-Security-Policy" not in known
