"""The apps' admin where neither Unfold nor django-import-export is installed."""

import os
import subprocess
import sys
from pathlib import Path

from django.conf import settings
from django.core.checks import run_checks
from django.test import override_settings
from unfold.apps import DefaultAppConfig

ROOT = Path(__file__).parents[2]
PAGES = [
    "tests/plain/pages.py",
    *(
        f"tests/calendar_app/admin/test_{name}.py"
        for name in ("lists", "pages", "series", "import_ics", "in_browser")
    ),
    "tests/calendar_app/admin/test_editor.py::test_a_description_is_written_with_the_keyboard",
    "tests/calendar_app/admin/test_earlier_rules.py::test_somebody_takes_back_what_became_of_a_choir",
    "tests/calendar_app/admin/planning/test_calendar.py",
    "tests/calendar_app/admin/planning/test_overview.py::test_the_sections_name_events",
    *(f"tests/backup_app/admin/test_{name}.py" for name in ("lists", "in_browser")),
    "tests/backup_app/admin/test_browsing.py::test_a_selection_survives_the_walk_through_folders",
]


def test_every_page_works_in_another_project():
    """The packages do not even import there, and neither does config belong to it."""
    others = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}

    done = subprocess.run(  # noqa: S603 - our own tests
        [sys.executable, "-m", "pytest", "-q", "--ds=tests.plain.settings", *PAGES],
        cwd=ROOT,
        env=others | {"COLUMNS": "200"},
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stdout + done.stderr


def test_unfold_without_its_filters_is_named_by_a_check(monkeypatch):
    # It makes a new admin site, which would stay, empty, for the tests that follow.
    monkeypatch.setattr(DefaultAppConfig, "ready", lambda config: None)
    others = [name for name in settings.INSTALLED_APPS if name != "unfold.contrib.filters"]
    with override_settings(INSTALLED_APPS=others):
        errors = run_checks(tags=["compatibility"])

    assert {error.id for error in errors} >= {"calendar_app.E020", "backup_app.E020"}
