"""The files of docs/deployment: what they name exists, and what they start is accepted."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from django.core.management import get_commands, load_command_class

from config.environment import reference
from tests.prerequisites import need

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs/deployment"
UNITS = sorted(FOLDER.glob("*.service"))
PACKAGES = {"backup_app", "calendar_app", "config"}
SETTINGS = {setting.name for setting in reference.project_settings()}


def values(unit, key):
    return re.findall(rf"^{key}=(.*)$", unit.read_text(), re.MULTILINE)


def test_the_page_names_each_file():
    named = re.findall(r"\]\(deployment/([^)]+)\)", (ROOT / "docs/deployment.md").read_text())

    assert sorted(named) == sorted(file.name for file in FOLDER.iterdir())


def understand(name, *words):
    """Parse the arguments of a management command, which ends the test if they are wrong."""
    command = load_command_class(get_commands()[name], name)
    command.create_parser("manage.py", name).parse_args(words)


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_what_a_unit_starts_is_a_command(unit):
    for line in values(unit, "ExecStartPre") + values(unit, "ExecStart"):
        python, manage, *words = line.split()

        understand(*words)
        assert python == f"{values(unit, 'WorkingDirectory')[0]}/.venv/bin/python"
        assert (ROOT / manage).exists()


def test_systemd_accepts_the_units(tmp_path):
    need(shutil.which("systemd-analyze"), "of systemd's units", "apt install systemd")
    for unit in UNITS:
        # The programs and the user of the host that they are for are not here.
        text = unit.read_text().replace("/opt/calendar/.venv/bin/python", sys.executable)
        text = text.replace("User=calendar", "User=root")
        (tmp_path / unit.name.replace("@", "@1")).write_text(text)

    paths = sorted(tmp_path.iterdir())
    verify = ["systemd-analyze", "verify", *paths]
    done = subprocess.run(verify, capture_output=True, text=True)  # noqa: S603

    ours = [line for line in done.stderr.splitlines() if str(tmp_path) in line]
    assert ours == []


def test_the_file_of_settings_has_settings_alone():
    lines = (FOLDER / "calendar.env").read_text().splitlines()
    names = {line.partition("=")[0] for line in lines if not line.startswith("#")}

    assert names <= SETTINGS
    assert {"PRODUCTION", "SECRET_KEY", "ALLOWED_HOSTS", "BEHIND_PROXY", "DATA_DIR"} <= names


def test_what_the_image_copies_and_runs_exists():
    text = (FOLDER / "Dockerfile").read_text()
    copied = re.findall(r"^COPY (?!--from)(.*) \S+$", text, re.MULTILINE)
    sources = {source for line in copied for source in line.split()}
    run = re.findall(r"python manage\.py ([^&\"]*)", text)
    variables = re.search(r"^ENV (DATA_DIR=.*)$", text, re.MULTILINE)[1].split()

    assert all((ROOT / source).exists() for source in sources)
    assert {"manage.py", "requirements.txt", *PACKAGES} <= sources
    assert [line.split()[0] for line in run] == ["migrate", "serve"]
    for line in run:
        understand(*line.split())
    assert {variable.partition("=")[0] for variable in variables} <= SETTINGS


def test_the_service_composed_of_containers_gets_settings_alone():
    services = yaml.safe_load((FOLDER / "compose.yaml").read_text())["services"]
    ours = services["calendar"]

    assert ours["environment"].keys() <= SETTINGS
    assert "localhost" in ours["environment"]["ALLOWED_HOSTS"]  # for the image's health check
    assert (FOLDER / ours["build"]["context"]).resolve() == ROOT
    assert (ROOT / ours["build"]["dockerfile"]).exists()
    assert ours["depends_on"].keys() == services.keys() - {"calendar"}
