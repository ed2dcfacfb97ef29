"""Many requests of all kinds over a few connections, none of which is dropped unannounced."""

import http.client
import random
import threading
from collections import Counter

import pytest

from tests.attacks import rounds

from ..support.server import serving

CLIENTS = 4
REQUESTS = rounds(1000, 100_000)
EVENTS = "/calendar/events/v1/events"
JSON = {"Content-Type": "application/json"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
LARGE = b"x" * 300_000
# Of each kind a status: some are answered without a look at the body.
KINDS = [
    (200, "GET", EVENTS, None, {}),
    (200, "HEAD", EVENTS, None, {}),
    (200, "GET", "/healthz", None, {}),
    (200, "OPTIONS", EVENTS, None, {}),
    (304, "GET", EVENTS, None, {"If-None-Match": "*"}),
    (404, "GET", "/calendar/nothing", None, {}),
    (404, "POST", "/calendar/nothing", LARGE, JSON),
    (400, "GET", f"{EVENTS}?page=none", None, {}),
    (400, "GET", EVENTS, None, {"Host": "evil.example"}),
    (400, "POST", EVENTS, LARGE, JSON | {"Host": "evil.example"}),
    (401, "DELETE", f"{EVENTS}/1", None, {}),
    (401, "DELETE", f"{EVENTS}/1", b"{}", JSON),
    (401, "POST", EVENTS, b"{}", JSON),
    (401, "POST", EVENTS, LARGE, JSON),
    (401, "POST", EVENTS, [b"{", b" " * 100_000, b"}"], JSON),
    (401, "POST", "/api/servers", LARGE, FORM),
    (403, "POST", "/admin/login/", b"username=a&password=b", FORM),
    (403, "PUT", "/healthz", LARGE, {}),
    (413, "POST", EVENTS, b"x" * 30_000_000, JSON),
]


class Client(threading.Thread):
    """Sends requests over one connection, and counts how often it was closed unannounced."""

    def __init__(self, port, number, seed):
        super().__init__()
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        self.number, self.random = number, random.Random(seed)  # noqa: S311 - no secret
        self.answers, self.wrong = 0, Counter()

    def run(self):
        *often, seldom = KINDS
        for index in range(self.number):
            kind = seldom if index % (self.number // 3) == 1 else self.random.choice(often)
            self.send(*kind)
            if self.wrong.total() > 9:
                break
        self.connection.close()

    def send(self, status, method, path, body, headers):
        try:
            self.connection.request(method, path, body, headers)
            response = self.connection.getresponse()
            response.read()
        except (OSError, http.client.HTTPException) as e:
            self.wrong[f"{type(e).__name__} at {method} {path} {status}"] += 1
            self.connection.close()
        else:
            self.answers += 1
            if response.status != status:
                self.wrong[f"{response.status} instead of {status} at {method} {path}"] += 1


@pytest.mark.attack
def test_no_kept_connection_is_dropped(tmp_path):
    # Nobody reads the log of what is refused.
    with serving(tmp_path, LOG_LEVEL="ERROR") as service:
        clients = [Client(service.port, REQUESTS // CLIENTS, seed) for seed in range(CLIENTS)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()

    assert sum((client.wrong for client in clients), Counter()) == {}
    assert sum(client.answers for client in clients) == REQUESTS
