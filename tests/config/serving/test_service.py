"""The whole of it as an operator starts it: web server and worker, mounted below a path."""

import os
import signal
import socket
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import urllib3

from tests.support.waiting import free_port, wait_for

from ..support.server import HTTP, get, is_listening, serving

EVENTS = "calendar/events/v1/events"


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("data"), BASE_PATH="apps/site") as service:
        yield service


def demo_login(service):
    lines = (service.folder / "demo.env").read_text().splitlines()
    values = dict(line.split("=", 1) for line in lines)
    return urllib3.make_headers(basic_auth=f"{values['DEMO_EMAIL']}:{values['DEMO_PASSWORD']}")


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("", "text/html"),
        ("healthz", "application/json"),
        ("docs/", "text/html"),
        ("redoc/", "text/html"),
        ("schema/", "application/vnd.oai.openapi"),
        ("admin/login/", "text/html"),
        ("calendar/events/v1", "application/json"),
        (EVENTS, "application/json"),
        ("static/drf_spectacular_sidecar/swagger-ui-dist/swagger-ui.css", "text/css"),
    ],
)
def test_everything_is_served_below_the_base_path(service, path, kind):
    response = get(service, path)

    assert response.status == 200
    assert response.headers["Content-Type"].startswith(kind)
    assert get(service, f"http://127.0.0.1:{service.port}/{path or 'admin/'}").status == 404


def test_addresses_in_answers_keep_the_base_path(service):
    event = get(service, f"{EVENTS}?per_page=1").json()["events"][0]

    assert event["rest_url"] == f"{service.root}{EVENTS}/{event['id']}"
    assert get(service, event["rest_url"]).json()["id"] == event["id"]
    assert get(service, event["url"]).status == 200


def test_an_image_is_served_as_what_it_is(service):
    events = get(service, f"{EVENTS}?per_page=50").json()["events"]
    image = next(event["image"] for event in events if event["image"])

    response = get(service, image["url"])

    assert response.status == 200
    assert response.headers["Content-Type"] == f"image/{image['extension'].replace('jpg', 'jpeg')}"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert len(response.data) == image["filesize"]


def test_errors_outside_the_views_are_json_too(service):
    unknown = get(service, "calendar/nothing")
    stranger = get(service, EVENTS, Host="evil.example")

    assert (unknown.status, unknown.json()["code"]) == (404, "rest_no_route")
    assert (stranger.status, stranger.json()["code"]) == (400, "rest_invalid_request")


def test_pages_of_other_sites_may_use_the_calendar_without_cookies(service):
    response = get(service, EVENTS, Origin="https://else.example")

    assert response.headers["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Credentials" not in response.headers
    assert "Access-Control-Allow-Origin" not in get(service, "", Origin="https://e.example").headers


def test_only_this_machine_is_listened_to(service):
    assert is_listening("127.0.0.1", service.port)
    # All of 127.0.0.0/8 leads here, but nothing listens at other addresses of it.
    assert not is_listening("127.0.0.2", service.port)


def test_the_worker_publishes_what_is_due(service):
    due = datetime.now(UTC) + timedelta(seconds=3)
    fields = {
        "title": "Later",
        "date_utc": due.strftime("%Y-%m-%d %H:%M:%S"),
        "start_date": "2030-03-01 10:00",
        "end_date": "2030-03-01 12:00",
    }

    made = HTTP.request("POST", service.root + EVENTS, json=fields, headers=demo_login(service))

    assert (made.status, made.json()["status"]) == (201, "future")
    wait_for(lambda: get(service, f"{EVENTS}/{made.json()['id']}").status == 200, 40)


def test_a_second_service_does_not_start_on_the_same_data(service):
    second = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "manage.py", "serve", f"--port={free_port()}"],
        env={"PATH": os.environ["PATH"], "DATA_DIR": str(service.folder), "ENV_FILE": os.devnull},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert (second.returncode, second.stdout) == (1, "")
    assert second.stderr == (
        f"Error: Another 'serve' is using the data folder '{service.folder}'. Stop it, set DATA_DIR"
        " to another folder, or run 'manage.py worker' for more background workers.\n"
    )


def test_a_web_worker_that_is_killed_is_replaced(service):
    [killed] = web_workers(service)

    os.kill(killed, signal.SIGKILL)
    [replaced] = wait_for(lambda: [pid for pid in web_workers(service) if pid != killed], 40)

    assert get(service, "healthz").status == 200  # waits in the socket that both have
    assert replaced != killed


def web_workers(service):
    """Return the process numbers of a service's web workers."""
    pids = Path(f"/proc/{service.process.pid}/task/{service.process.pid}/children").read_text()
    names = {int(pid): Path(f"/proc/{pid}/comm").read_text() for pid in pids.split()}
    return [pid for pid, name in names.items() if name.startswith("web worker")]


def test_a_large_upload_that_waits_for_a_go_ahead_gets_one(service):
    body = b"x" * 9_000_000

    with socket.create_connection(("127.0.0.1", service.port), timeout=60) as connection:
        connection.sendall(
            "POST /apps/site/calendar/events/v1/images HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            f"Content-Length: {len(body)}\r\nExpect: 100-continue\r\n\r\n".encode()
        )
        assert connection.recv(25) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(body)
        assert connection.recv(12) == b"HTTP/1.1 401"
