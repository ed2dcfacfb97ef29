"""Floods of wrong passwords against a real server: others are answered as before."""

import itertools
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import urllib3

from tests.attacks import rounds

FLOODERS, EACH = 24, rounds(4, 60)
EVENTS = "calendar/events/v1/events"
PROTECTED = f"{EVENTS}/by-slug/members-preview-the-new-season?password=wrong"
HASHES = 2 * 100  # MB: as many as a process makes at once
pytestmark = [pytest.mark.attack, pytest.mark.xdist_group("service")]


@pytest.fixture(scope="module")
def service(service_behind_proxy):
    service = service_behind_proxy
    service.http = urllib3.PoolManager(maxsize=FLOODERS + 7, retries=False, timeout=60)
    lines = (service.folder / "demo.env").read_text().split()
    service.demo = dict(line.partition("=")[::2] for line in lines if "=" in line)
    service.memory = peak(service)
    return service


def ask(service, path, user=None, password="", address="192.0.2.1", **headers):
    if user:
        headers |= urllib3.make_headers(basic_auth=f"{user}:{password}")
    headers["X-Forwarded-For"] = address
    return service.http.request("GET", service.root + path, headers=headers, redirect=False).status


def demo(service, path, secret):
    user = service.demo["DEMO_EMAIL"].strip("'\"")
    return ask(service, path, user, service.demo[secret].strip("'\""))


def peak(service):
    """Return the most memory in MB that the process of the web server has had."""
    pid = service.process.pid
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        process = Path("/proc", child)
        if (process / "comm").read_text().startswith("web worker"):
            return int(re.search(r"VmHWM:\s*(\d+)", (process / "status").read_text())[1]) // 1000
    raise LookupError("No process of the service is a web worker.")


def test_concurrent_wrong_passwords_get_ten_answers(service):
    with ThreadPoolExecutor(FLOODERS) as pool:
        guesses = pool.map(lambda n: ask(service, EVENTS, "ann", f"x{n}"), range(4 * FLOODERS))
        statuses = list(guesses)

    assert set(statuses) <= {401, 429}
    assert statuses.count(401) <= 10
    assert ask(service, EVENTS, "Ann", "y") in {401, 429}


@pytest.mark.parametrize("path", [EVENTS, "api/status/1", PROTECTED])
def test_a_flood_from_many_addresses_leaves_others_alone(service, path):
    legitimate = {
        "anonymous": lambda: ask(service, EVENTS),
        "page": lambda: ask(service, ""),
        "alive": lambda: ask(service, "healthz"),
        "key": lambda: demo(service, EVENTS, "DEMO_API_KEY"),
        "key of the backup service": lambda: demo(service, "api/mailboxes", "DEMO_API_KEY"),
        "password": lambda: demo(service, EVENTS, "DEMO_PASSWORD"),
        "password again": lambda: demo(service, EVENTS, "DEMO_PASSWORD"),
    }
    before = {name: call() for name, call in legitimate.items()}
    number = itertools.count(1)

    def flood(flooder):
        statuses = []
        for n in range(EACH):
            address = f"10.{next(number) % 250}.{flooder}.{n % 250}"
            user = None if path == PROTECTED else f"user{flooder}-{n}"
            statuses.append(ask(service, path, user, "wrong", address))
        return statuses

    with ThreadPoolExecutor(FLOODERS + len(legitimate)) as pool:
        floods = [pool.submit(flood, flooder) for flooder in range(FLOODERS)]
        answers = {
            name: pool.submit(lambda call=call: [call() for _ in range(EACH)])
            for name, call in legitimate.items()
        }
        found = {name: set(answer.result()) for name, answer in answers.items()}
        flooded = set(itertools.chain.from_iterable(each.result() for each in floods))

    assert found == {name: {status} for name, status in before.items()}
    assert flooded <= {401, 403, 429}
    assert peak(service) - service.memory < HASHES + 100
