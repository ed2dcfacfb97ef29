import email
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from drf_spectacular.generators import SchemaGenerator

ROOT = Path(__file__).parents[2]
APPS = ["calendar_app", "backup_app"]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Return the wheel that 'python -m build' makes, opened."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder)
    [built] = folder.glob("*.whl")
    with zipfile.ZipFile(built) as archive:
        yield archive


def run(*command):
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def read_metadata(wheel):
    [name] = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
    return email.message_from_bytes(wheel.read(name))


def test_it_holds_the_two_apps_as_git_has_them_and_nothing_else(wheel):
    tracked = run("git", "ls-files", "-z", "--", *APPS).split("\0")[:-1]

    files = [name for name in wheel.namelist() if ".dist-info/" not in name]

    assert sorted(files) == sorted(tracked)
    assert {f"{app}/py.typed" for app in APPS} < set(files)


def test_it_has_an_extra_for_each_part(wheel):
    extras = read_metadata(wheel).get_all("Provides-Extra")

    assert sorted(extras) == ["admin", "backup", "calendar", "postgresql", "server"]


def test_without_extras_it_needs_no_database_driver_and_no_other_admin(wheel):
    needed = read_metadata(wheel).get_all("Requires-Dist")
    always = {re.match(r"[\w-]+", need)[0] for need in needed if "extra ==" not in need}

    assert not always & {"psycopg", "django-unfold", "django-import-export"}


def test_the_version_is_that_of_the_project_file_everywhere(wheel):
    version = PROJECT["version"]
    released = re.findall(r"^## \[(\d.*?)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    description = SchemaGenerator().get_schema(request=None, public=True)

    assert read_metadata(wheel)["Version"] == version
    assert released[0] == version
    assert description["info"]["version"] == version
    assert f" {version} " in run(sys.executable, "manage.py", "--version")
