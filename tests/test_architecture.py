"""docs/architecture.md is true: what it names exists, and its recipes need no other files."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/architecture.md").read_text()
# What the page's paths are relative to.
PLACES = [
    ROOT,
    *(ROOT / app for app in ("calendar_app", "backup_app", "backup_app/engines/archive")),
]
NEW_ENGINE = "backup_app/engines/folder.py"
NOT_COPIED = shutil.ignore_patterns(
    ".git", ".venv", "var", "__pycache__", ".*_cache", ".hypothesis"
)

FILTER = """\
    all_day = BooleanParameter("all_day", help_text="Only all-day events, or only others.")
"""
FILTER_TEST = """

def test_all_day_keeps_events_that_last_whole_days():
    EventFactory(title="Fair", all_day=True)
    EventFactory(title="Talk")

    assert titles("all_day=true") == ["Fair"]
    assert titles("all_day=false") == ["Talk"]
"""

ENGINE_TEST = """\
from backup_app.engines import get_engine
from backup_app.engines.folder import FolderEngine
from backup_app.jobs import control, execute
from tests.backup_app.support.factories import ClientFactory


def test_a_zone_backs_up_by_it(db, tmp_path):
    (tmp_path / "client").mkdir()
    (tmp_path / "client" / "a.txt").write_text("first")
    client = ClientFactory(
        fileset__include=[{"path": str(tmp_path / "client")}],
        pool__storage__path=str(tmp_path / "storage"),
        pool__storage__zone__engine="folder",
    )

    job = control.start_backup(client, by="ann")
    execute.run(job.pk)
    job.refresh_from_db()

    assert isinstance(get_engine(job.engine), FolderEngine)
    assert (job.status, job.files) == ("completed", 1)
"""


def paths_of(text):
    """Return the paths that a text names: those in backticks with a slash or a dot in them."""
    return [path for path in re.findall(r"`([\w./]+)`", text) if re.search(r"/|\.py$", path)]


def recipe(title):
    """Return the files that a recipe of the page lists."""
    text = PAGE.partition(f"\n### {title}\n")[2].partition("\n##")[0]
    return [line_paths[0] for line in text.splitlines() if (line_paths := paths_of(line))]


class Copy:
    """A copy of the project, in which only the files of a recipe may be changed."""

    def __init__(self, folder):
        self.folder = shutil.copytree(ROOT, folder / "copy", ignore=NOT_COPIED)

    def write(self, title, name, text):
        allowed = tuple(recipe(title))
        assert name.startswith(allowed), f"The recipe does not list '{name}'."
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def add(self, title, name, text, before=None):
        """Add a text to a file, at its end or before the first line that begins so."""
        found = (self.folder / name).read_text()
        place = len(found) if before is None else found.index(before)
        self.write(title, name, found[:place] + text + found[place:])

    def test(self, *nodes):
        run = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "0", *nodes]
        environment = os.environ | {"PYTEST_ADDOPTS": ""}
        return subprocess.run(  # noqa: S603 - our own tests
            run, cwd=self.folder, env=environment, capture_output=True, text=True, check=False
        )


def test_what_the_page_names_exists():
    named = set(paths_of(PAGE)) - {NEW_ENGINE}

    lost = [path for path in named if not any((place / path).exists() for place in PLACES)]

    assert lost == []


def test_the_recipes_need_no_other_files(tmp_path):
    copy = Copy(tmp_path)
    filters = "calendar_app/api/filters/event.py"
    filter_tests = "tests/calendar_app/api/filters/test_event_filters.py"
    engine = (ROOT / "tests/backup_app/support/folder_engine.py").read_text()
    engine_test = "tests/backup_app/engines/test_folder.py"
    alias = ' | {"folder": {"BACKEND": "backup_app.engines.folder.FolderEngine"}}'

    copy.add("A filter of the event list", filters, FILTER, before="    status = StatusParameter(")
    copy.add("A filter of the event list", filter_tests, FILTER_TEST)
    copy.write("An engine", NEW_ENGINE, engine)
    copy.add("An engine", "config/settings.py", alias, before="\nglobals().update(bacula")
    copy.write("An engine", engine_test, ENGINE_TEST)

    ran = copy.test(filter_tests + "::test_all_day_keeps_events_that_last_whole_days", engine_test)
    assert ran.returncode == 0, ran.stdout
