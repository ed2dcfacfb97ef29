"""The dashboard, the alert rules and their page name metrics that there are."""

import json
import re
from pathlib import Path

import pytest
import yaml

from backup_app.monitoring.exposition import registry

FOLDER = Path(__file__).parents[3] / "docs/monitoring"
NEEDED = {
    "BackupOverdue",
    "BackupFailing",
    "BackupStorageNearlyFull",
    "BackupQueueStuck",
    "BackupWorkerDead",
    "BackupNeverVerified",
}


@pytest.fixture
def exported(db):
    return {family.name for family in registry.collect()}


def names(expressions):
    found = re.findall(r"\bbackup_\w+", " ".join(expressions))
    return {re.sub("_(bucket|count|sum)$", "", name) for name in found}  # samples of histograms


def rules():
    document = yaml.safe_load((FOLDER / "alerts.yaml").read_text())
    return [rule for group in document["groups"] for rule in group["rules"]]


def test_the_rules_name_metrics_that_there_are(exported):
    found = rules()

    assert {rule["alert"] for rule in found} >= NEEDED
    assert all({"expr", "labels", "annotations"} <= rule.keys() for rule in found)
    assert all(names([rule["expr"]]) for rule in found)
    assert names(rule["expr"] for rule in found) <= exported


def test_the_dashboard_shows_every_metric_and_no_other(exported):
    dashboard = json.loads((FOLDER / "grafana-dashboard.json").read_text())
    targets = [target for panel in dashboard["panels"] for target in panel["targets"]]
    variables = [each.get("definition", "") for each in dashboard["templating"]["list"]]

    assert names([target["expr"] for target in targets] + variables) == exported
    assert len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"])


def test_the_page_lists_every_metric_and_no_other(exported):
    page = (FOLDER / "README.md").read_text()

    assert set(re.findall(r"^\| `(backup_\w+)`", page, re.MULTILINE)) == exported
