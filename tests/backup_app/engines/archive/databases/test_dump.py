import os
import shutil

import pytest

from backup_app.engines.archive.databases.dump import dump_members
from backup_app.engines.archive.databases.load import require_database
from backup_app.engines.archive.databases.registry import server_of
from backup_app.engines.archive.transport.machines import machine_for
from backup_app.exceptions import EngineError, EngineUnreachable, NotFound, WrongState
from backup_app.jobs.job_run import JobRun
from backup_app.models import JobLog
from tests.prerequisites import need_root
from tests.support.waiting import free_port

from ....support.factories import ClientFactory, FilesetFactory, JobFactory
from ....support.local_backups import over_ssh
from ....support.machine.databases import SERVERS, database
from ....support.machine.secret_watch import WatchedProcesses

pytestmark = pytest.mark.django_db

TITLES = {"mysql": "MySQL", "postgresql": "PostgreSQL"}
TOOLS = {"mysql": "mariadb-dump", "postgresql": "pg_dump"}


@pytest.fixture(autouse=True)
def folders(settings, tmp_path):
    settings.BACKUP_ROOT = str(tmp_path / "backups")
    settings.BACKUP_CREDENTIALS_DIR = str(tmp_path / "credentials")


@pytest.fixture(params=SERVERS)
def kind(request):
    return request.param


@pytest.fixture
def name(kind):
    """A database with a table of things, and a user of the same name."""
    with database(kind) as name:
        rows = "INSERT INTO things VALUES (1, 'größer'), (2, 'two\nlines')"
        SERVERS[kind].write(name, "CREATE TABLE things (id int, label text)", rows)
        yield name


@pytest.fixture
def client():
    return ClientFactory(name="db1", ip="127.0.0.1", connection="local")


@pytest.fixture
def credentials(client, kind, name, tmp_path):
    """The operator's files for the database's user."""
    folder = tmp_path / "credentials" / str(client.pk)
    return SERVERS[kind].write_credentials(folder, name, f"secret of {name}")


@pytest.fixture
def administrator(client, kind, tmp_path):
    """The operator's files for who may read all databases."""
    return SERVERS[kind].write_administrator(tmp_path / "credentials" / str(client.pk))


def make_run(client, *databases):
    wanted = [{"kind": kind, "name": name} for kind, name in databases]
    fileset = FilesetFactory(account=client.account, databases=wanted)
    job = JobFactory(client=client, fileset=fileset, status="running", worker="test")
    return JobRun(job, "test")


def dump(client, tmp_path, *databases):
    """Return {path in the backup: dump} of the databases."""
    run = make_run(client, *databases)
    members = dump_members(run, machine_for(client), run.job.fileset, tmp_path)
    return {path: file.read_bytes() for path, file in members}


def refusal_of(client, tmp_path, *databases):
    with pytest.raises(EngineError) as refusal:
        dump(client, tmp_path, *databases)
    assert list(tmp_path.glob("dump-*")) == []
    return refusal.value


def put_tool(folder, monkeypatch, tool, script):
    """Let a tool be a script in which ``$REAL`` is the real one."""
    folder.mkdir()
    real = shutil.which(tool)
    (folder / tool).write_text(f"#!/bin/sh\nREAL={real}\n{script}\n")
    (folder / tool).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


def test_dump_is_a_file_of_the_backup(client, credentials, kind, name, tmp_path):
    dumps = dump(client, tmp_path, (kind, name))

    assert list(dumps) == [f"/.databases/{kind}/{name}.sql".encode()]
    assert "größer".encode() in dumps[f"/.databases/{kind}/{name}.sql".encode()]


def test_dump_is_told_in_the_log(client, credentials, kind, name, tmp_path):
    run = make_run(client, (kind, name))
    [(_, size)] = [
        (path, file.stat().st_size)
        for path, file in dump_members(run, machine_for(client), run.job.fileset, tmp_path)
    ]
    run.flush()

    assert JobLog.objects.get(job=run.job).message == (
        f"Dumped the database '{name}' of the {TITLES[kind]} server of client 'db1': {size} bytes."
    )


def test_each_database_is_dumped_once_and_its_file_removed(
    client, administrator, kind, name, tmp_path
):
    need_root()
    with database(kind) as other:
        run = make_run(client, (kind, name), (kind, other), (kind, name))
        members = dump_members(run, machine_for(client), run.job.fileset, tmp_path)
        seen = [(path, list(tmp_path.glob("dump-*")) == [file]) for path, file in members]

    folder = f"/.databases/{kind}/".encode()
    assert seen == [(folder + f"{one}.sql".encode(), True) for one in (name, other)]
    assert list(tmp_path.glob("dump-*")) == []


def test_fileset_without_databases_needs_no_server(client, tmp_path):
    assert dump(client, tmp_path) == {}


def test_missing_database_is_named(client, credentials, kind, name, tmp_path):
    SERVERS[kind].drop(name)

    with pytest.raises(Exception, match=f"has no database '{name}'") as refusal:
        dump(client, tmp_path, (kind, name))

    assert refusal.value.message.startswith(
        f"The {TITLES[kind]} server of client 'db1' has no database '{name}'. "
    )


def test_wrong_credentials_are_named(client, credentials, kind, name, tmp_path):
    SERVERS[kind].write_credentials(credentials[0].parent, "nobody-there", "wrong")

    refusal = refusal_of(client, tmp_path, (kind, name))

    assert refusal.message.startswith(
        f"The {TITLES[kind]} server of client 'db1' rejected the credentials '{credentials[0]}'. "
    )
    assert "nobody-there" in refusal.message


def test_server_that_is_off_is_unreachable(client, credentials, kind, name, tmp_path):
    port = SERVERS[kind].port
    text = credentials[0].read_text().replace(f"port={port}", f"port={free_port()}")
    credentials[0].write_text(text)

    refusal = refusal_of(client, tmp_path, (kind, name))

    assert isinstance(refusal, EngineUnreachable)
    assert refusal.message.startswith(
        f"The {TITLES[kind]} server of client 'db1' cannot be reached. "
    )


def test_dump_whose_connection_is_lost_fails(client, credentials, kind, name, tmp_path):
    SERVERS[kind].fill(name, megabytes=30)
    run = make_run(client, (kind, name))
    spool = tmp_path / "dump-0.sql"
    once = iter([SERVERS[kind].disconnect])
    run.tick = lambda: spool.stat().st_size and next(once, str)(name)

    with pytest.raises(EngineError, match=f"failed for database '{name}'"):
        list(dump_members(run, machine_for(client), run.job.fileset, tmp_path))

    assert list(tmp_path.glob("dump-*")) == []


def test_dump_without_its_end_fails(client, credentials, kind, name, tmp_path, monkeypatch):
    put_tool(tmp_path / "bin", monkeypatch, TOOLS[kind], '"$REAL" "$@" 2>/dev/null | head -c 700')

    refusal = refusal_of(client, tmp_path, (kind, name))

    assert refusal.message == (
        f"The dump of database '{name}' of the {TITLES[kind]} server of client 'db1' was cut off "
        "after 700 bytes."
    )


def test_failure_counts_also_when_the_dump_looks_complete(
    client, credentials, kind, name, tmp_path, monkeypatch
):
    script = '"$REAL" "$@"; echo "Something is wrong." >&2; exit 3'
    put_tool(tmp_path / "bin", monkeypatch, TOOLS[kind], script)

    refusal = refusal_of(client, tmp_path, (kind, name))

    assert refusal.message == (
        f"The {TITLES[kind]} server of client 'db1' failed for database '{name}' (3). "
        "Something is wrong."
    )


def test_missing_tool_is_named(client, credentials, kind, name, tmp_path, monkeypatch):
    bare = tmp_path / "bin"
    bare.mkdir()
    for tool in ("sh", "env"):
        (bare / tool).symlink_to(shutil.which(tool))
    monkeypatch.setenv("PATH", str(bare))

    refusal = refusal_of(client, tmp_path, (kind, name))

    wanted = {"mysql": "'mariadb-dump' or 'mysqldump'", "postgresql": "'pg_dump'"}
    assert refusal.message == (
        f"There is no {wanted[kind]} on the backup server: install its package."
    )


def test_the_password_appears_nowhere(client, credentials, kind, name, tmp_path, monkeypatch):
    seen = tmp_path / "seen"
    wait = f'while [ ! -e {seen} ]; do sleep 0.05; done; exec "$REAL" "$@"'
    put_tool(tmp_path / "bin", monkeypatch, TOOLS[kind], wait)
    run = make_run(client, (kind, name))

    with WatchedProcesses(f"secret of {name}", TOOLS[kind], seen) as watched:
        list(dump_members(run, machine_for(client), run.job.fileset, tmp_path))
    run.flush()

    assert watched.found == []
    assert "secret of" not in str(list(JobLog.objects.values()))


def test_credentials_that_others_can_read_are_refused(client, credentials, kind, name, tmp_path):
    file = credentials[-1]
    file.chmod(0o640)

    assert refusal_of(client, tmp_path, (kind, name)).message == (
        f"The credentials '{file}' are not used, since others can read them: chmod 600 {file}, "
        "and make the service's user their owner."
    )


def test_password_file_alone_says_too_little(client, tmp_path):
    folder = tmp_path / "credentials" / str(client.pk)
    SERVERS["postgresql"].write_credentials(folder, "me", "secret")
    (folder / "pg_service.conf").unlink()

    assert refusal_of(client, tmp_path, ("postgresql", "shop")).message == (
        f"'{folder}/pgpass' needs a 'pg_service.conf' beside it, in which [client] says how to "
        "connect."
    )


def test_without_credentials_the_tool_runs_on_the_client(kind, name, tmp_path, ssh_server):
    dumps = dump(ClientFactory(**over_ssh(ssh_server)), tmp_path, (kind, name))

    assert "größer".encode() in dumps[f"/.databases/{kind}/{name}.sql".encode()]


@pytest.mark.parametrize("line", ["user=me\n", "user=me\n# host=elsewhere\n"])
def test_credentials_without_a_host_are_for_the_client_itself(kind, line, tmp_path):
    client = ClientFactory(ip="192.0.2.7", connection="ssh")
    [file, *_] = SERVERS[kind].write_credentials(tmp_path / f"credentials/{client.pk}", "me", "x")
    file.write_text(f"[client]\n{line}")

    words = server_of(client, kind).dump_words("shop")

    assert any("host=" in word and "192.0.2.7" in word for word in words)


def test_credentials_with_a_host_are_for_that_one(kind, tmp_path):
    client = ClientFactory(ip="192.0.2.7", connection="ssh")
    SERVERS[kind].write_credentials(tmp_path / f"credentials/{client.pk}", "me", "x")

    words = server_of(client, kind).dump_words("shop")

    assert not any("host=" in word for word in words)


@pytest.mark.parametrize("name", ["", "a/b", "../x", "a\nb"])
def test_name_that_is_no_file_name_is_refused(client, name, tmp_path):
    assert refusal_of(client, tmp_path, ("mysql", name)).message == (
        f"Database '{name}' cannot be backed up: its name is not a file name."
    )


def test_name_that_looks_like_an_option_is_none(kind, client, administrator, tmp_path):
    need_root()
    SERVERS[kind].require()

    with pytest.raises(Exception, match="has no database '--help'"):
        dump(client, tmp_path, (kind, "--help"))


@pytest.mark.parametrize("kind", ["postgresql"])
def test_name_that_looks_like_a_connection_string_is_none(kind, client, administrator, tmp_path):
    SERVERS[kind].require()

    with pytest.raises(Exception, match="has no database 'dbname=postgres'"):
        dump(client, tmp_path, ("postgresql", "dbname=postgres"))


def test_unknown_kind_is_refused(client, tmp_path):
    with pytest.raises(NotFound, match="There are no databases of kind 'oracle'"):
        dump(client, tmp_path, ("oracle", "shop"))


FILES = {"mysql": "mysql.cnf", "postgresql": "pg_service.conf"}


def test_databases_of_this_machine_need_a_login_of_their_own(kind, client, tmp_path):
    file = tmp_path / "credentials" / str(client.pk) / FILES[kind]
    sentence = (
        f"Client 'db1' is the backup server itself: its {TITLES[kind]} databases need "
        f"credentials, which the operator must put into '{file}'."
    )

    assert refusal_of(client, tmp_path, (kind, "calendar")).message == sentence
    with pytest.raises(WrongState, match="is the backup server itself") as refusal:
        require_database(client, kind, "calendar")
    assert refusal.value.message == sentence
    with pytest.raises(EngineError, match="is the backup server itself"):
        server_of(client, kind).start_load("calendar")


@pytest.mark.parametrize(
    ("kind", "end", "complete"),
    [
        ("mysql", b"\n-- Dump completed on 2030-01-01  1:02:03\n", True),
        ("mysql", b"\n-- Dump completed\n\n", True),
        ("mysql", b"\n-- Dump completed on 2030-01-01\nDROP TABLE things;\n", False),
        ("mysql", b"INSERT INTO things VALUES (1, '-- Dump completed');\n", False),
        ("mysql", b"", False),
        ("postgresql", b"\n--\n-- PostgreSQL database dump complete\n--\n\n", True),
        (
            "postgresql",
            b"\n--\n-- PostgreSQL database dump complete\n--\n\n\\unrestrict aB3\n\n",
            True,
        ),
        ("postgresql", b"\n-- PostgreSQL database dump complete\nDROP TABLE x;\n", False),
        ("postgresql", b"x -- PostgreSQL database dump complete\n", False),
        ("postgresql", b"", False),
    ],
)
def test_complete_dump_is_known_by_its_end(kind, end, complete, client):
    assert server_of(client, kind).is_complete(end) is complete
