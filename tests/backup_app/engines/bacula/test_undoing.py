"""The guide's recipe for undoing what this service has added to a Bacula."""

import re
import subprocess
from pathlib import Path

import pytest

from backup_app.engines import get_engine
from backup_app.jobs import control
from backup_app.models import Client
from backup_app.services import clients

from ...support.commands import command
from .support.installation import SERVER
from .support.jobs import back_up, finish

pytestmark = pytest.mark.django_db

GUIDE = Path(__file__).parents[4] / "docs" / "bacula.md"
TABLES = {"job": "name", "media": "volumename", "pool": "name", "client": "name"}
# The guide's programs, as they are called here.
PROGRAMS = """
set -eu
runuser() {{ shift 5; command psql -h {host} -p {port} -U {user} -d '{database}' "$@"; }}
bconsole() {{ command bconsole -n -c '{console}'; }}
"""


def recipe():
    """Return the guide's commands that delete what is left in the catalog."""
    text = GUIDE.read_text()
    found = re.search(r"^    ours\(\).*?(?=^    rm )", text, re.MULTILINE | re.DOTALL)
    return found[0]


def left(bacula):
    found = {}
    for table, name in TABLES.items():
        ours = f"SELECT {name} FROM {table} WHERE starts_with({name}, '{bacula.prefix}')"  # noqa: S608
        found[table] = len(bacula.query(ours))
    return found


def test_nothing_is_left_in_bacula(bacula, bacula_client, own, tmp_path):
    client = bacula_client(own)
    backup = back_up(client)
    chosen = get_engine().select_paths(backup, [bytes(own / "first")])
    to = bytes(tmp_path / "restored")
    assert finish(control.start_restore(backup, client, chosen, path=to, by="test")).is_good
    assert left(bacula)["job"] == 2

    clients.delete(client)
    command("purge_clients", "--days", "0")
    assert not Client.objects.exists()
    assert bacula.clear()
    bacula.reload()
    programs = PROGRAMS.format(**SERVER, database=bacula.database, console=bacula.console_config)
    script = programs + recipe().replace("bk-", bacula.prefix)
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)

    assert (done.returncode, left(bacula)) == (0, dict.fromkeys(TABLES, 0)), done.stdout
