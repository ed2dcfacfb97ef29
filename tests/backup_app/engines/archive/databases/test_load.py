"""Loading dumps of databases, on real servers."""

import subprocess
from pathlib import Path

import pytest

from backup_app.engines import get_engine
from backup_app.engines.archive.databases import dump as dumps
from backup_app.engines.archive.databases.dump import write_dump
from backup_app.exceptions import Canceled, EngineError, NotFound, WrongState
from backup_app.jobs import execute
from backup_app.lib.formatting import size
from backup_app.models import Job
from tests.prerequisites import need_zstd

from ....support.api_client import client_of
from ....support.factories import ClientFactory, JobFactory
from ....support.forged_volumes import record
from ....support.local_backups import back_up, local_client, local_roots, volume_of
from ....support.machine.databases import SERVERS, THINGS, database
from ....support.recording_run import Recording

pytestmark = pytest.mark.django_db

TITLES = {"mysql": "MySQL", "postgresql": "PostgreSQL"}


@pytest.fixture(autouse=True)
def place(settings, tmp_path):
    settings.BACKUP_ROOT = str(tmp_path / "backups")
    settings.BACKUP_CREDENTIALS_DIR = str(tmp_path / "credentials")
    with local_roots(tmp_path):
        yield tmp_path


@pytest.fixture
def client(place, server, name):
    """A client whose fileset has the database, and the operator's credentials for it."""
    client = local_client(
        place, name="db1", fileset={"databases": [{"kind": server.kind, "name": name}]}
    )
    give_credentials(place, client, server, name)
    return client


def give_credentials(place, client, server, name):
    folder = place / "credentials" / str(client.pk)
    return server.write_credentials(folder, name, f"secret of {name}")


def start_load(backup, client, kind, name):
    """Return a running restore of a database's dump."""
    job = JobFactory(
        client=client,
        type="restore",
        level=None,
        status="running",
        parent=backup,
        request={"database": {"database": name, "kind": kind}},
        storage=backup.storage,
    )
    return Recording(Job.objects.select_related("client", "storage", "parent").get(pk=job.pk))


def load(backup, client, kind, name):
    run = start_load(backup, client, kind, name)
    run.outcome = get_engine().restore(run)
    Job.objects.filter(pk=run.job.pk).update(status="completed")
    return run


def safety_dumps(place):
    return sorted((place / "storage/safety").rglob("*.*"))


def tamper(monkeypatch, line, keep=lambda line: True):
    """Let dumps have a line in their middle, and only those lines that are to be kept."""

    def write_tampered(run, server, name, write):
        blocks = []
        write_dump(run, server, name, blocks.append)
        lines = [each for each in b"".join(blocks).splitlines(keepends=True) if keep(each)]
        middle = next(n for n, each in enumerate(lines) if each.startswith(b"CREATE TABLE"))
        return write(b"".join([*lines[:middle], line, *lines[middle:]]))

    monkeypatch.setattr(dumps, "write_dump", write_tampered)


def refusal_of(call, *arguments):
    with pytest.raises((EngineError, WrongState, NotFound)) as refusal:
        call(*arguments)
    return refusal.value


def test_table_that_was_dropped_comes_back(client, server, kind, name):
    backup = back_up(client)
    before = server.query(name, THINGS)
    server.write(name, "DROP TABLE things")

    run = load(backup, client, kind, name)

    assert server.query(name, THINGS) == before
    assert run.messages[-1] == (
        f"Loaded the database '{name}' of the {TITLES[kind]} server of client 'db1': "
        f"{run.outcome.bytes} bytes."
    )
    assert run.expected == run.bytes == run.outcome.bytes


def test_rows_are_as_they_were(client, server, kind, name):
    backup = back_up(client)
    before = server.query(name, THINGS)
    server.write(name, "UPDATE things SET label = 'changed'")
    server.write(name, "INSERT INTO things VALUES (3, 'new')")

    load(backup, client, kind, name)

    assert server.query(name, THINGS) == before


def test_newest_dump_of_the_view_is_loaded(client, server, kind, name):
    full = back_up(client)
    server.write(name, "UPDATE things SET label = 'second'")
    incremental = back_up(client, "Incremental")
    server.write(name, "UPDATE things SET label = 'third'")

    load(incremental, client, kind, name)
    second = server.query(name, THINGS)
    load(full, client, kind, name)

    assert second == "1\tsecond\n2\tsecond\n"
    assert server.query(name, THINGS).startswith("1\tgrößer\n")


def test_database_can_be_loaded_into_another_clients_server(client, place, server, kind, name):
    backup = back_up(client)
    before = server.query(name, THINGS)
    server.write(name, "DROP TABLE things")
    other = ClientFactory(name="db2", account=client.account, connection="local")
    give_credentials(place, other, server, name)

    run = load(backup, other, kind, name)

    assert server.query(name, THINGS) == before
    assert run.messages[-1].startswith(
        f"Loaded the database '{name}' of the {TITLES[kind]} server of client 'db2': "
    )


def test_nothing_is_left_when_the_load_went_well(client, place, kind, name):
    load(back_up(client), client, kind, name)

    assert safety_dumps(place) == []


def test_failed_load_leaves_a_dump_of_what_was_there(client, place, server, kind, name):
    backup = back_up(client)
    server.block(name)
    server.write(name, "INSERT INTO other VALUES (7)")
    run = start_load(backup, client, kind, name)

    refusal = refusal_of(get_engine().restore, run)

    [kept] = safety_dumps(place)
    assert kept == Path(
        f"{place}/storage/safety/{client.pk}/job-{run.job.pk}-{kind}-{name}.sql.zst"
    )
    assert kept.stat().st_mode & 0o777 == 0o600
    need_zstd()
    sql = subprocess.run(["zstd", "-dc", kept], capture_output=True, check=True).stdout
    assert b"other" in sql
    level, message = run.lines[-1]
    assert level == "error"
    assert message == (
        f"Loading the database '{name}' of the {TITLES[kind]} server of client 'db1' failed. "
        f"Its former content is in '{kept}'; 'zstd -dc' prints it as SQL."
    )
    assert refusal.message.startswith(
        f"The {TITLES[kind]} server of client 'db1' failed for database '{name}' ("
    )
    assert "things" in refusal.message


@pytest.mark.parametrize("kind", ["postgresql"])
def test_failed_load_changes_nothing_in_postgresql(client, place, kind, server, name):
    backup = back_up(client)
    server.write(name, "INSERT INTO things VALUES (3, 'new')")
    server.block(name)
    before = server.query(name, THINGS)

    refusal_of(load, backup, client, kind, name)

    assert server.query(name, THINGS) == before


def test_damaged_dump_executes_no_statement(client, place, server, kind, name):
    server.fill(name, megabytes=1)
    backup = back_up(client)
    server.write(name, "UPDATE things SET label = 'now'")
    volume = volume_of(backup)
    data = bytearray(volume.read_bytes())
    data[len(data) // 2] ^= 1
    volume.write_bytes(data)

    refusal = refusal_of(load, backup, client, kind, name)

    assert refusal.message.startswith(f"The volume '{volume}' is damaged at byte ")
    assert server.query(name, THINGS) == "1\tnow\n2\tnow\n"
    assert safety_dumps(place) == []


def test_dump_with_another_hash_executes_no_statement(client, server, kind, name):
    backup = back_up(client)
    dump = backup.entries.get(name=f"{name}.sql".encode())
    dump.sha256 = bytes(32)
    dump.save()
    record(backup)
    server.write(name, "UPDATE things SET label = 'now'")

    refusal = refusal_of(load, backup, client, kind, name)

    assert refusal.message == (
        f"'{name}.sql' of backup {backup.pk} is damaged: its content is not what was backed up."
    )
    assert server.query(name, THINGS) == "1\tnow\n2\tnow\n"


def test_an_older_dump_that_a_damaged_catalog_finds_is_not_loaded(client, server, kind, name):
    older = back_up(client)
    server.write(name, "UPDATE things SET label = 'now'")
    backup = back_up(client, "Incremental")
    backup.entries.get(name=f"{name}.sql".encode()).delete()

    refusal = refusal_of(load, backup, client, kind, name)

    assert older.entries.filter(name=f"{name}.sql".encode()).exists()
    assert refusal.message.startswith(f"The catalog of backup {backup.pk} is damaged")
    assert server.query(name, THINGS) == "1\tnow\n2\tnow\n"


def test_load_that_is_canceled_leaves_a_dump_of_what_was_there(client, place, server, kind, name):
    server.fill(name, megabytes=20)
    backup = back_up(client)
    run = start_load(backup, client, kind, name)
    tick = run.tick
    run.tick = lambda files=None, size=0: tick() if size < 10_000_000 else cancel()

    def cancel():
        raise Canceled

    with pytest.raises(Canceled):
        get_engine().restore(run)

    assert len(safety_dumps(place)) == 1
    assert run.lines[-1][0] == "error"


def test_load_whose_connection_is_lost_fails(client, place, server, kind, name):
    server.fill(name, megabytes=20)
    backup = back_up(client)
    run = start_load(backup, client, kind, name)
    once = iter([server.disconnect])
    run.tick = lambda files=None, size=0: size > 10_000_000 and next(once, str)(name)

    refusal_of(get_engine().restore, run)

    assert len(safety_dumps(place)) == 1


@pytest.mark.parametrize("kind", ["mysql"])
def test_dump_cannot_read_files_of_the_backup_server(client, server, name, kind, monkeypatch):
    tamper(monkeypatch, b"LOAD DATA LOCAL INFILE '/etc/hostname' INTO TABLE things;\n")
    backup = back_up(client)

    refusal = refusal_of(load, backup, client, kind, name)

    assert "disabled the local infile capability" in refusal.message


def test_dump_cannot_start_programs_on_the_backup_server(
    client, place, server, name, kind, monkeypatch
):
    tamper(monkeypatch, f"\\! touch {place}/started\n".encode())
    backup = back_up(client)

    refusal_of(load, backup, client, kind, name)

    assert not (place / "started").exists()


@pytest.mark.parametrize("kind", ["postgresql"])
def test_dump_of_an_old_pg_dump_cannot_start_programs_either(
    client, place, server, name, kind, monkeypatch
):
    command = f"\\! touch {place}/started\n".encode()
    tamper(monkeypatch, command, keep=lambda line: b"restrict " not in line)
    backup = back_up(client)

    refusal = refusal_of(load, backup, client, kind, name)

    assert "backslash commands are restricted" in refusal.message
    assert not (place / "started").exists()


def test_dump_without_a_restriction_of_its_own_is_loaded(client, server, name, kind, monkeypatch):
    tamper(monkeypatch, b"", keep=lambda line: b"restrict " not in line)
    backup = back_up(client)
    before = server.query(name, THINGS)
    server.write(name, "DROP TABLE things")

    load(backup, client, kind, name)

    assert server.query(name, THINGS) == before


def test_database_that_is_there_is_found(client, kind, name):
    get_engine().require_database(client, kind, name)


def test_missing_database_is_a_wrong_state(client, server, kind, name):
    server.drop(name)

    refusal = refusal_of(get_engine().require_database, client, kind, name)

    assert isinstance(refusal, WrongState)
    assert refusal.message.startswith(
        f"The {TITLES[kind]} server of client 'db1' has no database '{name}'. "
    )


def test_wrong_credentials_are_named(client, place, server, kind):
    [file, *_] = give_credentials(place, client, server, "nobody-there")

    refusal = refusal_of(get_engine().require_database, client, kind, "mysql")

    assert isinstance(refusal, EngineError)
    assert refusal.message.startswith(
        f"The {TITLES[kind]} server of client 'db1' rejected the credentials '{file}'. "
    )


def test_database_that_vanished_before_the_load_is_a_wrong_state(client, server, kind, name):
    backup = back_up(client)
    server.drop(name)

    assert isinstance(refusal_of(load, backup, client, kind, name), WrongState)


def test_dump_is_found_by_its_kind(client, kind, name):
    backup = back_up(client)
    [other] = SERVERS.keys() - {kind}

    get_engine().find_dump(backup, name, kind)

    with pytest.raises(NotFound):
        get_engine().find_dump(backup, name, other)
    assert refusal_of(get_engine().find_dump, backup, "other", kind).message == (
        f"Backup {backup.pk} has no dump of the {kind} database 'other'."
    )


def test_backup_whose_database_is_missing_fails(client, place, server, name):
    server.drop(name)

    with pytest.raises(WrongState, match=f"has no database '{name}'"):
        back_up(client)

    assert [path for path in (place / "storage").glob("*/**/*") if path.is_file()] == []


@pytest.mark.django_db(transaction=True)
class TestOperation:
    """Operation 6, from the request to the end of its job."""

    @pytest.fixture
    def kind(self):
        return "mysql"

    @pytest.fixture
    def api(self, client):
        return client_of(client.account)

    def test_database_is_loaded(self, api, client, server, name):
        backup = back_up(client)
        before = server.query(name, THINGS)
        server.write(name, "DROP TABLE things")

        response = api.post(f"/api/restoremysql/{backup.pk}/{name}")
        execute.run(response.json()["job_id"])

        job = Job.objects.get(pk=response.json()["job_id"])
        assert (response.status_code, job.status) == (200, "completed")
        assert job.message == f"1 entry, {size(job.bytes)} restored."
        assert server.query(name, THINGS) == before

    def test_failed_import_names_the_safety_dump_in_the_log(self, api, client, server, name):
        backup = back_up(client)
        server.block(name)

        response = api.post(f"/api/restoremysql/{backup.pk}/{name}")
        execute.run(response.json()["job_id"])

        job = Job.objects.get(pk=response.json()["job_id"])
        kept = Path(f"{job.storage.path}/safety/{client.pk}/job-{job.pk}-mysql-{name}.sql.zst")
        log = api.post(f"/api/joblog/{job.pk}").json()["log"]
        assert (job.status, kept.exists()) == ("failed", True)
        assert [str(kept) in line["message"] for line in log if line["level"] == "error"] == [
            True,
            False,
        ]

    def test_missing_database_starts_nothing(self, api, client, server, name):
        backup = back_up(client)
        server.drop(name)

        response = api.post(f"/api/restoremysql/{backup.pk}/{name}")

        assert (response.status_code, response.json()["code"]) == (409, "wrong_state")
        assert not Job.objects.filter(type="restore").exists()


def test_mysql_keeps_all_that_a_database_has(place):
    server = SERVERS["mysql"]
    with database("mysql") as name:
        server.write(name, *MYSQL)
        wanted = [{"kind": "mysql", "name": name}]
        client = local_client(place, fileset={"databases": wanted})
        server.write_administrator(place / "credentials" / str(client.pk))
        backup = back_up(client)
        before = [server.query(name, sql) for sql in MYSQL_SHOW]
        server.drop(name)
        server.create(name, "")

        load(backup, client, "mysql", name)

        assert [server.query(name, sql) for sql in MYSQL_SHOW] == before


MYSQL = [
    "CREATE TABLE parts (id INT PRIMARY KEY AUTO_INCREMENT, raw BLOB, label VARCHAR(50))",
    "INSERT INTO parts (raw, label) VALUES (0x00FF275C0A1A, '😀 größer'), (NULL, '')",
    "CREATE VIEW labels AS SELECT label FROM parts",
    "CREATE TRIGGER up BEFORE INSERT ON parts FOR EACH ROW SET NEW.label = UPPER(NEW.label)",
    "CREATE PROCEDURE count_parts() SELECT COUNT(*) FROM parts",
    "CREATE EVENT nightly ON SCHEDULE EVERY 1 DAY DO DELETE FROM parts WHERE id < 0",
]
MYSQL_SHOW = [
    "SELECT id, HEX(raw), HEX(label) FROM parts ORDER BY id",
    "SELECT HEX(label) FROM labels",
    "SELECT action_statement FROM information_schema.triggers WHERE trigger_schema = DATABASE()",
    "CALL count_parts()",
    "SELECT event_definition FROM information_schema.events WHERE event_schema = DATABASE()",
]
