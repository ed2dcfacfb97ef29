"""What is the same for every operation: methods, bodies, refusals, audit."""

import pytest
from rest_framework.test import APIClient

from backup_app.models import AuditEntry

from ..support.answering_engine import AnsweringEngine
from ..support.api_client import client_of, client_with
from ..support.factories import AccountFactory, ClientFactory, JobFactory

pytestmark = pytest.mark.django_db


def error(response):
    """Return the body of a refusal, which always has these keys and no others."""
    body = response.json()
    assert set(body) == {"error", "code", "fields"}
    return body


@pytest.mark.parametrize("path", ["/api/servers", "/api/nothing"])
def test_a_browser_runs_and_keeps_nothing_of_an_answer(settings, path):
    settings.MIDDLEWARE = []  # as in a project that has none for this

    for client in (APIClient(), client_of(AccountFactory())):
        response = client.post(path)

        assert response["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'"
        assert response["Cache-Control"] == "no-store"


# --- Methods and addresses ---


def test_another_method_is_405_with_allow_before_any_login():
    response = APIClient().post("/api/status/1")

    assert (response.status_code, response["Allow"]) == (405, "GET")
    assert error(response) == {
        "error": 'Method "POST" not allowed.',
        "code": "method_not_allowed",
        "fields": {},
    }


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete", "options", "head"])
def test_only_the_stated_method_is_allowed(method):
    response = getattr(client_of(AccountFactory()), method)("/api/status/1")

    assert (response.status_code, response["Allow"]) == (405, "GET")


def test_a_method_that_is_not_allowed_checks_no_login():
    client = client_with("nobody", "wrong")

    response = client.post("/api/status/1")

    assert response.status_code == 405
    assert not AuditEntry.objects.exists()


def test_an_address_may_end_with_a_slash():
    job = JobFactory()
    client = client_of(job.account)

    answers = [client.get(f"/api/status/{job.pk}{slash}").json() for slash in ("", "/")]

    assert answers[0] == answers[1]
    assert answers[0]["job_id"] == job.pk


@pytest.mark.parametrize("path", ["nothing", "", "status", "status/x", "status/" + "9" * 30])
@pytest.mark.parametrize("method", ["get", "post"])
def test_an_unknown_address_is_404_in_json(method, path):
    response = getattr(APIClient(enforce_csrf_checks=True), method)(f"/api/{path}")

    assert response.status_code == 404
    assert error(response) == {
        "error": f"There is nothing at '/api/{path}'.",
        "code": "not_found",
        "fields": {},
    }


@pytest.mark.urls("backup_app.urls")
def test_an_unknown_address_is_404_in_json_when_the_app_is_alone():
    response = APIClient().post("/nothing")

    assert response.status_code == 404
    assert error(response)["error"] == "There is nothing at '/nothing'."


def test_a_refusal_is_json_for_a_browser_too():
    response = APIClient().get("/api/status/1", headers={"Accept": "text/html"})

    assert (response.status_code, response["Content-Type"]) == (401, "application/json")


class BrokenEngine(AnsweringEngine):
    def run_command(self, client, command):
        raise ZeroDivisionError


def test_an_internal_error_is_left_to_the_project(settings):
    settings.BACKUP_ENGINES = {"default": {"BACKEND": f"{__name__}.BrokenEngine"}}
    client = ClientFactory()

    with pytest.raises(ZeroDivisionError):
        client_of(client.account).post(f"/api/run/{client.ip}", {"cmd": "uptime"})
