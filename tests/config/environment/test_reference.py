"""docs/settings.md has every setting, as the code has it."""

import re
import types
from pathlib import Path

import pytest
from django.core.management import call_command

from config.environment import bacula, reference
from config.management.commands import serve

CODE = Path(reference.__file__).parents[1]
READ = re.compile(r'(?:env\.[a-z_]+|os\.environ\.get)\(\s*"([A-Z_]+)"')
GROUPS = {"CALENDAR_", "BACKUP_"}


def test_the_page_is_current():
    call_command("settings_page", check=True)


def test_it_has_every_variable_that_the_project_reads():
    files = [CODE / "settings.py", Path(serve.__file__), *CODE.joinpath("environment").glob("*.py")]
    read = {name for file in files for name in READ.findall(file.read_text())}

    described = {setting.name for setting in reference.project_settings()}

    assert described == (read - GROUPS) | {"DATABASE_REPLICA_URLS"}
    assert bacula.URL in reference.page()


def test_the_guide_to_bacula_has_the_same_table():
    guide = CODE.with_name("docs").joinpath("bacula.md").read_text()
    rows = [line for line in reference.page().splitlines() if line.startswith("| `BACULA_")]

    assert len(rows) > 20
    assert "\n".join(rows) in guide


def test_a_default_and_its_comments_become_a_row(tmp_path):
    file = tmp_path / "conf.py"
    file.write_text(
        "DEFAULTS: dict = {\n"
        "    # how many\n    # there are\n    'A': 1_000,\n"
        "    'B': 'x',  # a letter\n"
        "    'C': '',  # nothing\n    'D': False,  # on or off\n}\n"
    )
    module = types.SimpleNamespace(
        __file__=file, DEFAULTS={"A": 1000, "B": "x", "C": "", "D": False}
    )

    rows = reference.app_settings("MY_", module)

    assert [(row.name, row.default, row.meaning) for row in rows] == [
        ("MY_A", "`1000`", "how many there are"),
        ("MY_B", "`x`", "a letter"),
        ("MY_C", "none", "nothing"),
        ("MY_D", "`false`", "on or off"),
    ]


def test_a_setting_without_a_comment_is_named(tmp_path):
    file = tmp_path / "conf.py"
    file.write_text("DEFAULTS: dict = {\n    'A': 1,\n}\n")

    with pytest.raises(ValueError, match="MY_A has no comment"):
        reference.app_settings("MY_", types.SimpleNamespace(__file__=file, DEFAULTS={"A": 1}))
