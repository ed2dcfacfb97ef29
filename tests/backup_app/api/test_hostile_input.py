"""Whatever is sent: an answer in JSON, and never a fault of the server."""

import re

import pytest

from backup_app.urls import ROUTES

from ..support.world import ENGINE
from .test_isolation import ROWS, filled

pytestmark = pytest.mark.django_db
SEGMENTS = [
    "%00",
    "a%00b",
    "%F0%9F%98%80",  # a letter beyond 16 bits
    "%ED%A0%80",  # half of a surrogate pair
    "%FF",
    "x" * 5000,
    "1" * 400,
    "..",
    "%2e%2e",
    "%0A",
    "fe80::1%25eth0",
    "'--",
]
VALUES = ["a\0b", "\U0001f600", "x" * 5000, "..", "'", "%s", [], {}, None, True, -1, 2**70]
VALUES += [[[["a"]]], {"0": {"0": "a"}}, {"x": 1}, 1.5]
POSTED = sorted({row.number for row in ROWS if row.operation.method == "POST"})
BODY = {"cmd": "uptime", "home": "/", "files": ["/srv"], "mailbox": "a", "search": "b"}


@pytest.fixture(autouse=True)
def engine(settings):
    settings.BACKUP_ENGINES = ENGINE


def require_answered(response, what):
    assert response.status_code < 500, (what, response.content)
    assert isinstance(response.json(), dict)


@pytest.mark.parametrize("segment", SEGMENTS)
def test_any_text_in_a_path(segment, world):
    me = world["a"]
    for route, view in ROUTES.items():
        if "<text:" in route:
            path = re.sub("<number:[a-z_]+>", str(me.things.job), route)
            path = re.sub("<text:[a-z_]+>", segment, path)
            require_answered(me.api.post(f"/api/{path}", BODY), view.operation.name)


@pytest.mark.parametrize("number", ["0", "9" * 18, "9" * 19, "9" * 5000, "-1", "1.5", "٣"])
def test_any_number_in_a_path(number, world):
    me = world["a"]
    for route, view in ROUTES.items():
        if "<number:" in route:
            path = re.sub("<number:[a-z_]+>", number, route)
            path = re.sub("<text:[a-z_]+>", me.things.ip, path)
            call = me.api.get if view.operation.method == "GET" else me.api.post
            require_answered(call(f"/api/{path}", BODY), view.operation.name)


@pytest.mark.parametrize("value", VALUES, ids=lambda value: repr(value)[:12])
@pytest.mark.parametrize("number", POSTED)
def test_any_value_in_a_body(number, value, world):
    me = world["a"]
    row = next(row for row in ROWS if row.number == number)
    path, body = (filled(each, me=me.things, it=me.things) for each in (row.path, row.body))
    for name in row.operation.options().fields:
        require_answered(me.api.post(f"/api/{path}", body | {name: value}), name)
