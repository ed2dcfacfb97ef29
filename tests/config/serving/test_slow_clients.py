"""Many slow clients at once, beside others that want an answer."""

import pytest

from tests.attacks import rounds

from ..support.server import HTTP, get
from ..support.slow_clients import KINDS, SlowClients

EVENTS = "calendar/events/v1/events"
BUNDLE = "static/drf_spectacular_sidecar/swagger-ui-dist/swagger-ui-bundle.js"
LOGIN = "admin/login/"  # reads what anyone sends
MANY = rounds(200, 1000)


@pytest.mark.attack
@pytest.mark.xdist_group("service")
@pytest.mark.parametrize(
    ("kind", "path"),
    [
        *((kind, LOGIN) for kind in KINDS if kind != "readers"),
        ("readers", f"{EVENTS}?per_page=50"),
        ("readers", BUNDLE),
    ],
)
def test_others_are_answered_beside_slow_clients(service_behind_proxy, kind, path):
    service = service_behind_proxy
    with SlowClients(kind, MANY, service.port, f"/{path}") as slow:
        answers = [get(service, EVENTS).status for _ in range(20)]
        refused = HTTP.request("POST", service.root + EVENTS, json={"title": "x" * 100_000})
        bundle = get(service, BUNDLE)
        still_slow = slow.still_open()

    assert answers == [200] * 20
    assert refused.status == 401
    assert len(bundle.data) > 1_000_000
    assert still_slow > 0.9 * MANY  # they are what was borne
