"""docs/architecture.md is true: what it names exists, and its recipes need no other files."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

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

VERB = '''

def rename(client: Client, name: str) -> Client:
    """Give a client another name."""
    client.name = name
    client.save(update_fields=["name"])
    return client
'''
SERIALIZERS = """

class RenameClient(Options):
    name = serializers.CharField(max_length=100, help_text="The new name.")


class ClientRenamed(Answer):
    name = serializers.CharField()
    ip = serializers.CharField()
"""
VIEW = '''

@operation(37, topic="clients", answer=ClientRenamed, options=RenameClient, writes=True)
def rename_client(request, client_ip):
    """Rename a client."""
    client = access.client(request.caller, ip=client_ip)
    return ClientRenamed.represent(clients.rename(client, request.options["name"]))
'''
ROUTE = """\
    "renameclient/<text:client_ip>": clients.rename_client,
"""
OPERATION_TEST = """

def test_a_client_is_renamed_and_the_operation_described(api, account):
    client = ClientFactory(account=account, name="web1", ip="192.0.2.7")

    answer = api.post("/api/renameclient/192.0.2.7", {"name": "web2"})

    client.refresh_from_db()
    assert answer.json() == {"name": "web2", "ip": "192.0.2.7"}
    assert client.name == "web2"
    assert "/api/renameclient/{client_ip}" in api.get("/schema/?format=json").json()["paths"]
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
ALIAS = ' | {"folder": {"BACKEND": "backup_app.engines.folder.FolderEngine"}}'

# What each recipe of the page needs: a file, what is added to it, and before which of its texts.
FILTERS = "calendar_app/api/filters/event.py"
FILTER_TESTS = "tests/calendar_app/api/filters/test_event_filters.py"
VIEWS = "backup_app/api/views/clients.py"
CLIENT_TESTS = "tests/backup_app/api/views/test_clients.py"
ACCESS_TESTS = "tests/backup_app/accounts/test_access.py"
ISOLATION_TESTS = "tests/backup_app/api/test_isolation.py"
ENGINE_TESTS = "tests/backup_app/engines/test_folder.py"
RECIPES = {
    "A filter of the event list": [
        (FILTERS, FILTER, "    status = StatusParameter("),
        (FILTER_TESTS, FILTER_TEST, None),
    ],
    "An operation of the backup API": [
        ("backup_app/services/clients.py", VERB, None),
        ("backup_app/api/serializers/clients.py", SERIALIZERS, None),
        (VIEWS, "    ClientRenamed,\n    RenameClient,\n", ")\n\n\n@operation"),
        (VIEWS, VIEW, None),
        ("backup_app/urls.py", ROUTE, '    "joblog/'),
        (CLIENT_TESTS, OPERATION_TEST, None),
        (ACCESS_TESTS, '    37: "renameclient",\n', "}\nOPERATIONS"),
        (ACCESS_TESTS, ", 37", "}\nGETS"),
        (ISOLATION_TESTS, '    Row(37, "renameclient/{it.ip}", {"name": "x"}),\n', "]\neach_row"),
    ],
    "An engine": [
        (NEW_ENGINE, (ROOT / "tests/backup_app/support/folder_engine.py").read_text(), None),
        ("config/settings.py", ALIAS, "\nglobals().update(bacula"),
        (ENGINE_TESTS, ENGINE_TEST, None),
    ],
}


def paths_of(text):
    """Return the paths that a text names: those in backticks with a slash or a dot in them."""
    return [path for path in re.findall(r"`([\w./]+)`", text) if re.search(r"/|\.py$", path)]


def listed(title):
    """Return the files that a recipe of the page lists."""
    recipe = PAGE.partition(f"\n### {title}\n")[2].partition("\n##")[0]
    lines = [line.partition(":")[0] for line in recipe.splitlines() if line.startswith("- ")]
    return {path for line in lines for path in paths_of(line)}


def add(path, text, before):
    """Add a text to a file, at its end or before another text in it."""
    found = path.read_text() if path.exists() else ""
    place = len(found) if before is None else found.index(before)
    path.write_text(found[:place] + text + found[place:])


def test_what_the_page_names_exists():
    named = set(paths_of(PAGE)) - {NEW_ENGINE}

    lost = [path for path in named if not any((place / path).exists() for place in PLACES)]

    assert lost == []


@pytest.mark.parametrize("title", RECIPES)
def test_a_recipe_lists_all_files_that_it_needs(title):
    folders = tuple(path for path in listed(title) if path.endswith("/"))

    unlisted = [
        name
        for name, *_ in RECIPES[title]
        if name not in listed(title) and not name.startswith(folders or "/")
    ]

    assert unlisted == []


def test_what_the_recipes_add_works(tmp_path):
    copy = shutil.copytree(ROOT, tmp_path / "copy", ignore=NOT_COPIED)
    for steps in RECIPES.values():
        for name, text, before in steps:
            add(copy / name, text, before)

    tests = [FILTER_TESTS, CLIENT_TESTS, ACCESS_TESTS, ISOLATION_TESTS, ENGINE_TESTS]
    names = "all_day_keeps or is_renamed or backs_up_by_it or 37 or has_a_row or may or numbered"
    options = ["-q", "-p", "no:cacheprovider", "-n", "0", "-k", names]
    others = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    ran = subprocess.run(  # noqa: S603 - our own tests
        [sys.executable, "-m", "pytest", *options, *tests],
        cwd=copy,
        env=others,
        capture_output=True,
        text=True,
        check=False,
    )

    assert ran.returncode == 0, ran.stdout
