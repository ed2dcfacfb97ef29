import pytest
from django.core.exceptions import RequestDataTooBig
from django.test import Client

from calendar_app.api import namespace
from config.site import errors


@pytest.mark.parametrize("path", ["/calendar", "/calendar/", "/calendar/nothing"])
@pytest.mark.parametrize("method", ["get", "post", "delete"])
def test_an_unknown_path_of_the_calendar_is_json(client, path, method):
    response = getattr(client, method)(path)

    assert response.status_code == 404
    assert response.json() == {
        "code": "rest_no_route",
        "message": f"There is nothing at '{path}'.",
        "data": {"status": 404},
    }


@pytest.mark.parametrize("path", ["/api", "/api/", "/api/nothing"])
def test_an_unknown_path_of_the_backup_service_is_json(client, path):
    response = client.post(path)

    assert response.status_code == 404
    assert response.json() == {
        "error": f"There is nothing at '{path}'.",
        "code": "not_found",
        "fields": {},
    }


@pytest.mark.parametrize("path", ["/nothing", "/calendarium", "/apis", "/media/nothing.png"])
def test_another_unknown_path_is_a_page(client, path):
    response = client.get(path)

    assert response.status_code == 404
    assert response["Content-Type"] == "text/html; charset=utf-8"
    assert path in response.content.decode()


def test_a_path_in_a_page_is_text(client):
    response = client.get("/<script>")

    assert "<script>" not in response.content.decode()


def test_an_unknown_path_is_json_also_in_debug(client, settings):
    settings.DEBUG = True

    assert client.get("/calendar/nothing").json()["code"] == "rest_no_route"


def test_a_host_name_that_is_not_ours_is_named(client):
    response = client.get("/calendar/events/v1/events", headers={"host": "evil.example"})

    assert response.status_code == 400
    assert response.json()["message"] == (
        "This service does not answer to the host name 'evil.example'."
    )


def test_a_body_that_is_too_large_is_413(rf):
    response = errors.bad_request(rf.post("/api/x"), RequestDataTooBig())

    assert response.status_code == 413
    assert b'"code": "too_large"' in response.content


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("/calendar/x", b'"code": "internal_server_error"'),
        ("/api/x", b'"code": "internal_error"'),
        ("/x", b"<h1>Internal Server Error</h1>"),
    ],
)
def test_a_server_error_reveals_nothing(rf, path, content):
    response = errors.server_error(rf.get(path))

    assert response.status_code == 500
    assert content in response.content


@pytest.fixture
def broken_index(monkeypatch):
    def fail(*args):
        raise RuntimeError("the password is secret")

    monkeypatch.setattr(namespace, "index", fail)


@pytest.mark.django_db
def test_a_server_error_in_a_view_is_json_and_reveals_nothing(broken_index):
    response = Client(raise_request_exception=False).get("/calendar/events/v1")

    assert response.status_code == 500
    assert response.json() == {
        "code": "internal_server_error",
        "message": "The request failed because of an error in the service, which has been logged.",
        "data": {"status": 500},
    }


def test_an_unknown_path_of_an_interface_asks_for_no_token():
    client = Client(enforce_csrf_checks=True)

    assert client.post("/calendar/nothing").json()["code"] == "rest_no_route"
    assert client.post("/api/nothing").json()["code"] == "not_found"


@pytest.mark.django_db
def test_a_form_without_its_token_is_refused_with_a_page():
    response = Client(enforce_csrf_checks=True).post("/admin/login/", {"username": "x"})

    assert response.status_code == 403
    assert b"Load it again" in response.content
