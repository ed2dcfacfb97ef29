"""Who may read the metrics of a service that an operator has started."""

import pytest

from ..support.server import get, serving

TOKEN = "lighthouse-and-twelve-boats"
FORGED = {"X-Forwarded-For": "127.0.0.1", "X-Forwarded-Proto": "https"}


@pytest.fixture
def service(tmp_path, request):
    with serving(tmp_path, **request.param) as service:
        yield service


def status(service, path="metrics", **headers):
    return get(service, path, **headers).status


@pytest.mark.parametrize("service", [{}], indirect=True)
def test_this_machine_reads_them_but_no_proxy_on_it(service):
    answer = get(service, "metrics")

    assert answer.status == 200
    assert b'client="demo"' in answer.data
    assert b"\nbackup_workers 0.0" not in answer.data
    assert status(service, **{"X-Forwarded-For": "127.0.0.1"}) == 403
    assert status(service, Host="backup.example.org") == 400


@pytest.mark.parametrize(
    "service",
    [{"BEHIND_PROXY": "true", "BASE_PATH": "apps", "BACKUP_METRICS_TOKEN": TOKEN}],
    indirect=True,
)
def test_behind_a_proxy_only_the_token_counts(service):
    assert status(service) == status(service, **FORGED) == 403
    assert status(service, Authorization=f"Bearer {TOKEN}x") == 403
    assert status(service, f"metrics?token={TOKEN}") == 403
    assert status(service, Authorization=f"Bearer {TOKEN}", **FORGED) == 200
