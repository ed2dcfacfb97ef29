"""What the log holds of requests and jobs, and what it must not."""

import io
import json
import logging
from types import SimpleNamespace

import pytest
import urllib3
from django.core.management import call_command
from django.test import Client

from backup_app.lib.log_context import about_job
from backup_app.models import Job
from calendar_app.api import namespace
from calendar_app.services.images import fetch_image
from config.serving.logs import JSONFormatter, TextFormatter
from tests.support.waiting import wait_for

from ..support.server import HTTP, serving

NAMESPACE = "/calendar/events/v1"


@pytest.fixture
def log():
    """The log as JSON: its events, and its lines."""
    handler = logging.StreamHandler(io.StringIO())
    handler.setFormatter(JSONFormatter())
    loggers = [logging.getLogger(), logging.getLogger("django")]
    for logger in loggers:
        logger.addHandler(handler)
    lines = lambda: handler.stream.getvalue().splitlines()  # noqa: E731
    yield SimpleNamespace(lines=lines, events=lambda: [json.loads(line) for line in lines()])
    for logger in loggers:
        logger.removeHandler(handler)


def record(message, *args, fault=None):
    level, exc_info = logging.ERROR, fault and (type(fault), fault, fault.__traceback__)
    return logging.LogRecord("a.module", level, __file__, 1, message, args, exc_info)


def fault():
    try:
        int("one\n2030-01-01 INFO two")
    except ValueError as e:
        e.add_note("2030-01-01 INFO three")
        return e


# --- Lines ---


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("get", "/media/../secret.key", {}, 404),
        ("post", "/admin/login/", {f"field{number}": "" for number in range(25_001)}, 400),
    ],
)
def test_user_input_cannot_forge_a_traceback_in_the_log(log, method, path, body, status):
    answer = getattr(Client(), method)(path, body)

    assert answer.status_code == status
    assert [event["level"] for event in log.events()] == ["INFO"]


def test_user_input_cannot_add_a_line_to_the_log():
    text = TextFormatter().format(record("Not found: %s", "/x\n2030-01-01 \x1b[2J\u2028\ud800"))

    assert text.endswith(r"ERROR a.module: Not found: /x\n2030-01-01 \x1b[2J\u2028\ud800")
    assert len(text.splitlines()) == 1


def test_a_traceback_cannot_pass_for_other_lines():
    first, *others = TextFormatter().format(record("Failed.", fault=fault())).splitlines()

    assert first.endswith("ERROR a.module: Failed.")
    assert others[-1] == "    2030-01-01 INFO three"
    assert all(line.startswith("    ") for line in others)


def test_an_event_with_its_traceback_is_one_line_of_json():
    text = JSONFormatter().format(record("Failed: %s", "\ud800\n", fault=fault()))

    assert len(text.splitlines()) == 1
    event = json.loads(text)
    assert (event["level"], event["logger"]) == ("ERROR", "a.module")
    assert event["message"] == "Failed: \ud800\n"
    assert event["exception"].startswith("Traceback (most recent call last):\n")


@pytest.mark.parametrize("formatter", [TextFormatter, JSONFormatter])
def test_a_line_names_the_job_that_it_is_about(formatter):
    with about_job(7):
        inside = formatter().format(record("x"))

    assert "job=7" in inside or '"job": 7' in inside
    assert "job" not in formatter().format(record("x"))


# --- Requests ---


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/", "/nothing/", NAMESPACE, "/api/servers", "/admin/"])
def test_a_request_is_one_line_with_the_id_of_its_answer(client, log, path):
    answers = [client.get(path) for _ in range(2)]

    events = log.events()
    assert [event["request"] for event in events] == [each["X-Request-ID"] for each in answers]
    assert events[0]["request"] != events[1]["request"]
    assert (
        events[0].items()
        >= {
            "logger": "config.serving.access_log",
            "client": "127.0.0.1",
            "method": "GET",
            "path": path,
            "status": answers[0].status_code,
        }.items()
    )
    assert events[0]["message"].startswith(f"127.0.0.1 GET {path} {answers[0].status_code}, ")


@pytest.mark.django_db
def test_a_fault_is_one_event_with_the_id_of_its_answer(monkeypatch, log):
    monkeypatch.setattr(namespace, "index", None)

    answer = Client(raise_request_exception=False).get(NAMESPACE)

    failed = [event for event in log.events() if "exception" in event]
    assert answer.status_code == 500
    assert [event["request"] for event in failed] == [answer["X-Request-ID"]]
    assert "TypeError" in failed[0]["exception"]


@pytest.mark.parametrize(
    ("given", "is_believed"),
    [
        ("7bb1fd0f-33e5-4a2a-9a3e-0d9d34d5d6a0", True),
        ("2b8c1f2e5d0a4e6f9d3c7a1b0e5f4d3c", True),
        ("short", False),
        ("x" * 65, False),
        ("with blanks in it", False),
        ("two\nlines-of-it", False),
        ("<script>alert(1)</script>", False),
        ("ä" * 8, False),
    ],
)
def test_only_a_valid_request_id_of_the_own_proxy_is_used(client, settings, given, is_believed):
    for behind_proxy in (False, True):
        settings.BEHIND_PROXY = behind_proxy
        answer = client.get("/healthz", headers={"X-Request-ID": given})

        assert (answer["X-Request-ID"] == given) == (behind_proxy and is_believed)


# --- Tasks ---


@pytest.mark.django_db(transaction=True)
def test_the_lines_of_a_task_have_its_id(log):
    task = fetch_image.enqueue("event", 1, "https://images.example.invalid/x.png")

    call_command("worker", batch=True, interval=0, startup_delay=False)

    about = {event["message"].split()[-1]: event.get("task") for event in log.events()}
    assert about["state=SUCCESSFUL"] == task.id
    assert about["gracefully."] is None


# --- All of it, as an operator sees it ---


def demo_of(service):
    lines = (service.folder / "demo.env").read_text().splitlines()
    return {name: value.strip("'") for name, _, value in (line.partition("=") for line in lines)}


def as_basic(login, password):
    return urllib3.make_headers(basic_auth=f"{login}:{password}")


def test_a_service_logs_one_json_object_a_line_and_no_secrets(tmp_path):
    secrets = [f"S3cret-{kind}" for kind in ("query", "basic", "form", "json", "event", "key")]
    query, basic, form, body, event, key = secrets
    with serving(tmp_path, LOG_FORMAT="json", LOG_LEVEL="DEBUG") as service:
        demo = demo_of(service)
        mine = as_basic(demo["DEMO_EMAIL"], demo["DEMO_API_KEY"])

        def post(path, fields, headers):
            return HTTP.request("POST", service.root + path, fields=fields, headers=headers)

        HTTP.request("GET", f"{service.root}calendar/events/v1/events?password={query}")
        HTTP.request("GET", service.root + "calendar/events/v1", headers=as_basic("nobody", basic))
        post("api/servers", {}, as_basic("nobody", f"bk_{key}"))
        post("admin/login/", {"username": "nobody", "password": form}, {})
        HTTP.request("POST", service.root + "api/servers", json={"password": body}, headers=mine)
        post("calendar/events/v1/events", {"title": "Fair", "password": event}, mine)
        answer = post(f"api/backupnow/{demo['DEMO_CLIENT_IP']}/full", {}, mine)
        job = answer.json()["job_id"]
        wait_for(lambda: Job.Status.COMPLETED in status_of(service, job, mine), 60)

    lines = [line for line in service.output.splitlines() if line.startswith("{")]
    events = [json.loads(line) for line in lines]
    assert answer.headers["X-Request-ID"] in {each.get("request") for each in events}
    ended = f"Job {job} has ended: "
    assert [each["job"] for each in events if each["message"].startswith(ended)] == [job]
    assert not [secret for secret in [*secrets, demo["DEMO_API_KEY"]] if secret in service.output]


def status_of(service, job, headers):
    url = f"{service.root}api/status/{job}"
    return HTTP.request("GET", url, headers=headers).data.decode()
