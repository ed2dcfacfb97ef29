"""Databases from the backup to the load, with a real Bacula and real servers."""

import io
import tarfile

import pytest

from backup_app.engines import get_engine
from backup_app.exceptions import EngineError, EngineUnreachable, NotFound, WrongState
from backup_app.jobs import control
from backup_app.models import Job

from ....support.api_client import client_of
from ....support.contract.setting import downloaded
from ....support.factories import ClientFactory
from ....support.machine.databases import ONE_ROW, SERVERS, THINGS
from ..support.jobs import back_up, finish, log_text

pytestmark = pytest.mark.django_db(transaction=True)
TITLES = {"mysql": "MySQL", "postgresql": "PostgreSQL"}


@pytest.fixture
def rows():
    return ONE_ROW


@pytest.fixture
def client(bacula, bacula_client, script, settings, kind, name, tmp_path):
    """A client whose fileset has a database and a folder."""
    options = bacula.options(database_program=script.as_program())
    settings.BACKUP_ENGINES["default"]["OPTIONS"] = options
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "letter").write_text("Dear all")
    client = bacula_client(tmp_path / "docs", name="db1")
    client.fileset.databases = [{"kind": kind, "name": name}]
    client.fileset.save()
    return client


def load(backup, client, name, kind):
    return finish(control.start_database_restore(backup, client, name, kind, by="test"))


def refusal_of(error, call, *arguments):
    with pytest.raises(error) as refusal:
        call(*arguments)
    assert type(refusal.value) is error
    return refusal.value.message


class TestLoad:
    def test_a_table_that_was_dropped_comes_back(self, client, server, name, kind):
        backup = back_up(client)
        server.write(name, "DROP TABLE things")

        job = load(backup, client, name, kind)

        assert (job.status, server.query(name, THINGS)) == ("completed", "1\tgrößer\n"), log_text(
            job
        )
        assert job.files == 1
        assert f"Loaded the {kind} database '{name}': " in log_text(job)

    def test_a_failed_import_is_a_failed_job(self, client, server, name, kind, script):
        backup = back_up(client)
        server.block(name)

        job = load(backup, client, name, kind)

        [kept] = script.kept
        assert job.status == "failed"
        assert f"Loading the {kind} database '{name}' failed." in job.message
        assert f"Its former content is in '{kept}'." in job.message
        assert "things" in job.message


class TestQuestions:
    def test_a_database_that_is_there_is_found(self, client, kind, name):
        get_engine().require_database(client, kind, name)

    def test_a_missing_one_starts_nothing(self, client, server, name, kind):
        backup = back_up(client)
        server.drop(name)

        said = refusal_of(WrongState, load, backup, client, name, kind)

        assert said == f"The {TITLES[kind]} server of client 'db1' has no database '{name}'."
        assert not Job.objects.filter(type="restore").exists()

    def test_a_server_that_rejects_the_login_is_reported(self, client, server, script, kind, name):
        server.write_credentials(script.config, "nobody-there", "wrong")

        said = refusal_of(EngineError, get_engine().require_database, client, kind, name)

        assert "nobody-there" in said


class TestMysql:
    """What is the same with every server."""

    @pytest.fixture
    def kind(self):
        return "mysql"

    def test_the_newest_dump_of_the_view_is_loaded(self, client, server, name, kind):
        full = back_up(client)
        server.write(name, "UPDATE things SET label = 'second'")
        later = back_up(client, "Incremental")
        server.write(name, "UPDATE things SET label = 'third'")

        load(later, client, name, kind)
        second = server.query(name, THINGS)
        load(full, client, name, kind)

        assert (second, server.query(name, THINGS)) == ("1\tsecond\n", "1\tgrößer\n")

    def test_it_can_be_loaded_on_another_client(self, client, bacula, server, name, kind):
        backup = back_up(client)
        server.write(name, "DROP TABLE things")
        same = {"account": client.account, "pool": client.pool, "fileset": client.fileset}
        other = ClientFactory(name="db2", engine_name="two-fd", connection="agent", **same)

        job = load(backup, other, name, kind)

        assert (job.status, server.query(name, THINGS)) == ("completed", "1\tgrößer\n"), log_text(
            job
        )

    def test_a_dump_is_found_by_its_kind(self, client, kind, name):
        backup = back_up(client)
        [other] = SERVERS.keys() - {kind}

        get_engine().find_dump(backup, name, kind)

        refusal_of(NotFound, get_engine().find_dump, backup, name, other)
        said = refusal_of(NotFound, get_engine().find_dump, backup, "other", kind)
        assert said == f"Backup {backup.pk} has no dump of the {kind} database 'other'."

    def test_an_unknown_kind_is_not_found(self, client, name):
        said = refusal_of(NotFound, get_engine().require_database, client, "oracle", name)

        assert said == ("There are no databases of kind 'oracle'; there are: mysql, postgresql.")

    def test_a_windows_machine_has_none(self, client, name, kind):
        client.system = "windows"

        refusal_of(WrongState, get_engine().require_database, client, kind, name)

    def test_a_client_without_the_script_is_told_where_it_belongs(
        self, client, bacula, settings, name, kind
    ):
        program = str(bacula.folder / "nosuch")
        options = bacula.options(database_program=program)
        settings.BACKUP_ENGINES["default"]["OPTIONS"] = options

        said = refusal_of(EngineError, get_engine().require_database, client, kind, name)

        assert said.startswith(
            f"Client 'db1' cannot start '{program}', which dumps and loads its databases: "
        )

    def test_a_stopped_file_daemon_is_unreachable(self, client, bacula, name, kind):
        bacula.one.daemon.stop()

        refusal_of(EngineUnreachable, get_engine().require_database, client, kind, name)

    def test_a_backup_whose_dump_fails_fails(self, client, server, name):
        server.drop(name)

        job = back_up(client, status="failed")

        assert "Unknown database" in job.message
        assert job.message.endswith(f"The dump of the mysql database '{name}' failed.")

    def test_a_dump_can_be_restored_as_a_file(self, client, server, name, tmp_path):
        backup = back_up(client)
        server.write(name, "UPDATE things SET label = 'now'")
        paths = [b"/.databases", bytes(tmp_path / "docs")]
        chosen = get_engine().select_paths(backup, paths)
        place = tmp_path / "it's $(a) place"

        job = finish(control.start_restore(backup, client, chosen, path=bytes(place), by="test"))

        file = place / f".databases/mysql/{name}.sql"
        assert job.status == "completed", log_text(job)
        assert b"INSERT INTO `things`" in file.read_bytes()
        assert (place / str(tmp_path)[1:] / "docs/letter").read_text() == "Dear all"
        assert server.query(name, THINGS) == "1\tnow\n"

    def test_a_backup_with_a_dump_is_verified(self, client, name):
        backup = back_up(client)

        job = finish(control.start_verify(backup, by="test"))

        assert job.status == "completed", log_text(job)

    def test_a_download_has_the_dump(self, client, name, tmp_path):
        backup = back_up(client)

        content = downloaded(get_engine(), backup)

        with tarfile.open(fileobj=io.BytesIO(content)) as tar:
            dump = tar.extractfile(f".databases/mysql/{name}.sql").read()
        assert b"INSERT INTO `things`" in dump
        assert dump.splitlines()[-1].startswith(b"-- Whole, sha256 ")

    def test_patterns_are_of_no_concern_to_dumps(self, client, bacula, name):
        client.fileset.exclude = ["*.sql", "/.databases", "*"]
        client.fileset.save()

        backup = back_up(client)

        get_engine().find_dump(backup, name)

    def test_no_shell_reads_the_name(self, client, server, name):
        named = f"{name}$HOME"
        server.create(named, "")
        try:
            server.write(named, "CREATE TABLE things (id int)")
            client.fileset.databases = [{"kind": "mysql", "name": named}]
            client.fileset.save()
            backup = back_up(client)
            server.write(named, "DROP TABLE things")

            job = load(backup, client, named, "mysql")

            assert job.status == "completed", log_text(job)
            assert server.query(named, "SHOW TABLES") == "things\n"
        finally:
            server.remove(named)

    def test_operation_6_loads_it(self, client, server, name):
        backup = back_up(client)
        server.write(name, "DROP TABLE things")

        answer = client_of(client.account).post(f"/api/restoremysql/{backup.pk}/{name}")
        job = finish(Job.objects.get(pk=answer.json()["job_id"]))

        assert (answer.status_code, job.status) == (200, "completed")
        assert server.query(name, THINGS) == "1\tgrößer\n"
