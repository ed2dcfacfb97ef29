"""Many clients from a table, told to a real Director at once."""

import pytest

from backup_app.engines import get_engine
from backup_app.engines.bacula.director import director as directors
from backup_app.models import Client

from ....support.commands import command
from ....support.factories import FilesetFactory, PoolFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def pool(bacula_zone):
    pool = PoolFactory(name="month", storage=bacula_zone.storages.get())
    FilesetFactory(account=pool.account, name="default", include=[{"path": "/etc"}])
    return pool


@pytest.fixture
def run(tmp_path, pool):
    """A function that imports the text of a table."""

    def imported(text, *words):
        file = tmp_path / "machines.csv"
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return command("import_clients", file, "--account", pool.account.email, *words)

    return imported


@pytest.fixture
def reloads(monkeypatch):
    """The reloads of the Director."""
    found, reload = [], directors.Director.reload
    monkeypatch.setattr(directors.Director, "reload", lambda d: (found.append(1), reload(d)))
    return found


def known():
    with get_engine().director() as director:
        return director.names("client")


def test_all_are_added_by_one_reload(run, bacula, reloads):
    rows = [f"web{number},192.0.2.{number},month" for number in range(1, 6)]

    ran = run("\n".join(["name,ip,pool", *rows, ""]), "--format=json")

    assert (ran.error, ran.err) == (None, "")
    assert ran.data["created"] == [f"web{number}" for number in range(1, 6)]
    assert len(reloads) == 1
    assert {
        f"{bacula.prefix}client-{pk}" for pk in Client.objects.values_list("pk", flat=True)
    } <= (known())


def test_wrong_lines_are_all_told_and_nothing_is_stored(run, pool, reloads):
    table = (
        "name;ip;pool;system;schedule\n"
        "good;192.0.2.1;month;unix;30 2 * * *\n"
        "bad ip;192.0.2.999;;;\n"
        "\n"
        "twice;192.0.2.1;;;\n"
        "good;192.0.2.2;;;\n"
        "p;192.0.2.3;none;;\n"
        "os;192.0.2.4;;beos;\n"
        ";192.0.2.5;;;\n"
        "cron;192.0.2.6;;;daily\n"
        "a/b;192.0.2.7;;;\n"
        f"{'x' * 101};192.0.2.8;;;\n"
    )

    ran = run(table)

    lines = ran.err.splitlines()
    assert lines[:6] == [
        "Line 3: '192.0.2.999' is not an IP address.",
        "Line 5: Client 'good' already has the address '192.0.2.1'.",
        "Line 6: The account already has a client named 'good'.",
        "Line 7: There is no pool 'none'.",
        "Line 8: Unknown system 'beos': it must be unix or windows.",
        "Line 9: The client with the address '192.0.2.5' has no name.",
    ]
    assert [line.split(":")[0] for line in lines[6:]] == ["Line 10", "Line 11", "Line 12"]
    assert "Would create client 'good' (192.0.2.1)." in ran.out
    assert "9 problems" in ran.error
    assert (Client.objects.count(), reloads) == (0, [])

    skipped = run(table, "--skip-bad")

    assert "Created 1 client." in skipped.out
    assert Client.objects.get().schedule == "30 2 * * *"
    assert len(reloads) == 1


def test_a_dry_run_stores_nothing(run, reloads):
    ran = run("name,ip\nweb1,192.0.2.1\n", "--dry-run", "--format=json")

    assert (ran.data["created"], ran.data["stored"], ran.error) == (["web1"], False, None)
    assert (Client.objects.count(), reloads) == (0, [])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "Column 'name' is missing."),
        ("name,ip,root\n", "Column 'root' is unknown."),
        ("name,name,ip\n", "A column is there twice."),
        ("name,ip\na,192.0.2.1,x\n", "Line 2: 'x' is in no column."),
        ('name,ip\n"a,192.0.2.1', "The file is not CSV: unexpected end of data."),
        (b"name,ip\n\xff,192.0.2.1", "machines.csv' cannot be read: it is not in UTF-8."),
    ],
)
def test_a_table_that_is_none_is_refused(run, text, sentence):
    assert sentence in run(text).error
    assert Client.objects.count() == 0
