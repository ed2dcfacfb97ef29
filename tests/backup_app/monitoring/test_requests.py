"""What the metrics tell of requests to the API."""

import pytest
from prometheus_client.openmetrics import parser as openmetrics

from backup_app.api.operation import DURATIONS

from ..support.factories import ClientFactory, JobFactory
from .test_metrics import scrape

pytestmark = pytest.mark.django_db
NAME = "backup_api_request_duration_seconds"


def counts():
    answer = scrape(Accept="application/openmetrics-text; version=1.0.0")
    [family] = [
        each
        for each in openmetrics.text_string_to_metric_families(answer.content.decode())
        if each.name == NAME
    ]
    return {
        (sample.labels["operation"], sample.name.removeprefix(NAME)): sample.value
        for sample in family.samples
        if sample.labels.get("le") in {None, "+Inf"}
    }


def test_a_request_counts_for_its_operation_alone(api, account):
    job = JobFactory(client=ClientFactory(account=account))
    before = counts()

    assert api.get(f"/api/status/{job.pk}").status_code == 200

    after = counts()
    changed = {key[0] for key, value in after.items() if value != before.get(key)}
    assert changed == {"status"}
    assert after["status", "_count"] == before.get(("status", "_count"), 0) + 1
    assert after["status", "_bucket"] == after["status", "_count"]
    assert after["status", "_sum"] > before.get(("status", "_sum"), 0)


def test_a_refused_request_counts_too(client):
    before = counts().get(("status", "_count"), 0)

    assert client.get("/api/status/1").status_code == 401
    assert counts()["status", "_count"] == before + 1


def test_an_unknown_address_adds_no_operation(client):
    before = set(DURATIONS.read())

    assert client.get("/api/nothing-of-ours").status_code == 404
    assert set(DURATIONS.read()) == before
