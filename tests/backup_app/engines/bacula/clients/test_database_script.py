"""What the script on clients does, without a Bacula."""

import os
import shutil
import signal
import subprocess
import threading
from pathlib import Path

import pytest

from tests.prerequisites import need

from ....support.machine.databases import THINGS, database
from ..support.database_script import LOAD, SCRIPT

DUMP_TOOLS = {"mysql": "mariadb-dump", "postgresql": "pg_dump"}
HOSTILE = [
    "$(touch {0})",
    "`touch {0}`",
    "'; touch {0}; '",
    '"; touch {0}; "',
    "; touch {0} #",
    "\\",
]


@pytest.fixture
def dump(script, kind, name):
    return script.dump(kind, name)


def load(script, kind, name, dump):
    return script.run("load", kind, name, f"{LOAD}/{name}", given=dump)


class TestList:
    def test_it_has_the_databases_one_a_line(self, script, kind, name):
        listed = script.run("list", kind)

        assert listed.returncode == 0
        assert name in listed.stdout.decode().splitlines()

    def test_it_says_why_it_cannot(self, script, kind, server, name):
        server.write_credentials(script.config, "nobody-there", "wrong")

        listed = script.run("list", kind)

        assert (listed.returncode != 0, listed.stdout) == (True, b"")
        assert "nobody-there" in listed.stderr


class TestDump:
    def test_it_ends_with_a_seal(self, dump):
        *_, last = dump.splitlines()

        assert b"CREATE TABLE" in dump
        assert last.startswith(b"-- Whole, sha256 ")

    def test_a_missing_database_fails_without_a_seal(self, script, kind, server, name):
        server.drop(name)

        done = script.run("dump", kind, name)

        assert (done.returncode, b"sha256" in done.stdout) == (1, False)
        assert name in done.stderr.splitlines()[0]
        assert done.stderr.endswith(f"The dump of the {kind} database '{name}' failed.\n")

    @pytest.mark.parametrize("end", ["| head -c 900", "| head -c 900; kill -9 $$"])
    def test_one_that_is_cut_off_fails(self, script, kind, server, name, end):
        server.write_credentials(script.config, name, f"secret of {name}")
        tool = DUMP_TOOLS[kind]
        script.replace_program(tool, f'{shutil.which(tool)} "$@" {end}')

        done = script.run("dump", kind, name)

        assert (done.returncode, b"sha256" in done.stdout) == (1, False)

    def test_it_logs_in_with_the_credentials(self, script, kind, server, name):
        server.write_credentials(script.config, name, f"secret of {name}")

        assert b"CREATE TABLE" in script.dump(kind, name)

    def test_credentials_that_others_can_read_are_not_used(self, script, kind, server, name):
        [file, *_] = server.write_credentials(script.config, name, f"secret of {name}")
        file.chmod(0o640)

        done = script.run("dump", kind, name)

        assert done.returncode == 1
        assert done.stderr.splitlines()[0] == (
            f"The credentials '{file}' can be read by others, so they are not used."
        )

    def test_nothing_of_it_is_left(self, script, dump):
        assert list(script.state.iterdir()) == []

    @pytest.mark.parametrize("shell", ["dash", "bash"])
    def test_every_shell_can(self, script, kind, name, shell):
        need(shutil.which(shell), "of shells", f"apt install {shell}")

        done = script.run("dump", kind, name, shell=shell)

        assert done.returncode == 0
        assert load(script, kind, name, done.stdout).returncode == 0


class TestWords:
    @pytest.mark.parametrize(
        "words",
        [
            (),
            ("dump",),
            ("dump", "mysql"),
            ("dump", "oracle", "shop"),
            ("drop", "mysql", "shop"),
            ("list", "mysql", "shop"),
            ("dump", "mysql", "shop", "more"),
            *(("dump", "mysql", name) for name in ["", *"-x $x a;b a'b a/b ä".split(), "a b"]),
        ],
    )
    def test_others_than_it_knows_are_refused(self, script, words):
        done = script.run(*words)

        assert (done.returncode, done.stdout, script.state.exists()) == (1, b"", False)
        assert done.stderr.count("\n") == 1

    def test_the_target_is_a_name(self, script):
        done = script.run("load", "mysql", "shop", f"{LOAD}/a;b", given=b"")

        assert (done.returncode, done.stderr) == (1, "'a;b' is not a valid name of a database.\n")


class TestLoad:
    def test_a_table_that_was_dropped_comes_back(self, script, server, kind, name, dump):
        before = server.query(name, THINGS)
        server.write(name, "DROP TABLE things")

        done = load(script, kind, name, dump)

        assert (done.returncode, done.stdout) == (0, b"")
        assert server.query(name, THINGS) == before
        assert done.stderr.splitlines()[-1] == (
            f"Loaded the {kind} database '{name}': {len(dump)} bytes."
        )

    def test_rows_are_as_they_were(self, script, server, kind, name, dump):
        before = server.query(name, THINGS)
        server.write(name, "UPDATE things SET label = 'changed'")
        server.write(name, "INSERT INTO things VALUES (3, 'new')")

        load(script, kind, name, dump)

        assert server.query(name, THINGS) == before

    def test_another_database_can_be_the_target(self, script, server, kind, name, dump):
        before = server.query(name, THINGS)
        server.write(name, "DROP TABLE things")
        with database(kind) as other:
            done = script.run("load", kind, name, f"{LOAD}/{other}", given=dump)

            assert done.returncode == 0, done.stderr
            assert server.query(other, THINGS) == before

    def test_nothing_is_left_when_it_went_well(self, script, kind, name, dump):
        load(script, kind, name, dump)

        assert list(script.state.iterdir()) == []

    def test_a_failed_one_leaves_a_dump_of_what_was_there(self, script, server, kind, name, dump):
        server.block(name)
        server.write(name, "INSERT INTO other VALUES (7)")

        done = load(script, kind, name, dump)

        [kept] = script.kept
        first, *words, last = done.stderr.splitlines()
        assert done.returncode == 1
        assert first == f"Saved the current {kind} database '{name}' to '{kept}'."
        assert "things" in "".join(words)
        assert last == (
            f"Loading the {kind} database '{name}' failed. Its former content is in '{kept}'."
        )
        assert b"other" in kept.read_bytes()
        assert kept.stat().st_mode & 0o777 == 0o600
        assert script.state.stat().st_mode & 0o777 == 0o700

    @pytest.mark.parametrize("kind", ["postgresql"])
    def test_a_failed_one_changes_nothing_in_postgresql(self, script, server, kind, name, dump):
        server.write(name, "INSERT INTO things VALUES (3, 'new')")
        server.block(name)
        before = server.query(name, THINGS)

        load(script, kind, name, dump)

        assert server.query(name, THINGS) == before

    def test_a_missing_database_is_not_made(self, script, server, kind, name, dump):
        server.drop(name)

        done = load(script, kind, name, dump)

        assert (done.returncode, script.kept) == (1, [])
        assert name not in script.run("list", kind).stdout.decode().splitlines()

    def test_a_lost_connection_is_a_failed_import(self, script, server, kind, name):
        server.fill(name, megabytes=20)
        dump = script.dump(kind, name)
        server.write_credentials(script.config, name, f"secret of {name}")
        ended = threading.Event()
        thread = threading.Thread(target=_disconnect, args=[server, script, name, ended])
        thread.start()

        done = load(script, kind, name, dump)

        ended.set()
        thread.join()
        assert (done.returncode, len(script.kept)) == (1, 1)

    @pytest.mark.parametrize(
        "damage",
        [
            lambda dump: b"",
            lambda dump: dump[: len(dump) // 2],
            lambda dump: dump[:-1],
            lambda dump: dump[:-2] + b"\n",
            lambda dump: dump[: dump.rindex(b"-- Whole")],
            lambda dump: dump.replace(b"things", b"thongs", 1),
            lambda dump: dump + b"DROP TABLE things;\n",
            lambda dump: dump + dump,
        ],
    )
    def test_a_dump_that_is_not_whole_executes_nothing(
        self, script, server, kind, name, dump, damage
    ):
        server.write(name, "UPDATE things SET label = 'now'")

        done = load(script, kind, name, damage(dump))

        assert (done.returncode, script.kept) == (1, [])
        assert done.stderr.startswith(f"The dump of the {kind} database '{name}' is ")
        assert done.stderr.endswith("; it is not loaded.\n")
        assert server.query(name, THINGS) == "1\tnow\n2\tnow\n"

    @pytest.mark.parametrize("kind", ["mysql"])
    def test_a_dump_cannot_start_programs(self, script, kind, name, tmp_path):
        line = f"\\! touch {tmp_path}/started"
        script.replace_program(
            "mariadb-dump", f'echo "{line}"; exec {shutil.which("mariadb-dump")} "$@"'
        )

        done = load(script, kind, name, script.dump(kind, name))

        assert (done.returncode, (tmp_path / "started").exists()) == (1, False)

    def test_a_load_without_a_reader_keeps_the_old_content(self, script, server, kind, name):
        server.fill(name, megabytes=5)
        dump = script.dump(kind, name)
        server.write(name, "DROP TABLE things")
        command = ["sh", SCRIPT, "load", kind, name, f"{LOAD}/{name}"]
        pipes = {"stdin": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = subprocess.Popen(command, **pipes, env=script.environment())
        process.stderr.close()

        process.communicate(dump)

        assert "größer" in server.query(name, THINGS)
        assert len(script.kept) == 1

    def test_what_a_killed_one_left_is_removed_by_the_next(self, script, kind, name, dump):
        command = ["sh", SCRIPT, "load", kind, name, f"{LOAD}/{name}"]
        killed = subprocess.Popen(command, stdin=subprocess.PIPE, env=script.environment())
        killed.stdin.write(dump[:10])
        killed.stdin.flush()
        while not list(script.state.glob("work.*/dump.sql")):
            assert killed.poll() is None
        os.kill(killed.pid, signal.SIGKILL)
        killed.communicate()
        assert [file.name for file in script.state.iterdir()] == [f"work.{killed.pid}"]

        script.dump(kind, name)

        assert list(script.state.iterdir()) == []

    def test_a_state_folder_that_leads_elsewhere_is_not_used(self, script, kind, name, tmp_path):
        (tmp_path / "elsewhere").mkdir()
        script.state.symlink_to(tmp_path / "elsewhere")

        done = script.run("dump", kind, name)

        assert (done.returncode, list(script.state.iterdir())) == (1, [])


def _disconnect(server, script, name, ended):
    """Disconnect a user from when a database is saved until its import has ended."""
    while not (script.kept or ended.wait(0.01)):
        pass
    while not ended.is_set():
        server.disconnect(name)


class TestFolder:
    """A dump that is to be restored as a file."""

    @pytest.fixture
    def kind(self):
        return "mysql"

    @pytest.fixture
    def place(self, tmp_path):
        return tmp_path / "new" / "place with blanks"

    def test_it_is_written_below_the_folder(self, script, server, kind, name, dump, place):
        server.write(name, "UPDATE things SET label = 'now'")

        done = script.run("load", kind, name, str(place), given=dump)

        file = place / ".databases" / kind / f"{name}.sql"
        assert done.stderr == (
            f"Wrote the dump of the mysql database '{name}' to '{file}'; "
            "it is loaded into no database.\n"
        )
        assert (file.read_bytes(), file.stat().st_mode & 0o777) == (dump, 0o600)
        assert [each.name for each in file.parent.iterdir()] == [file.name]
        assert server.query(name, THINGS) == "1\tnow\n2\tnow\n"

    @pytest.mark.xdist_group("the original place")  # each removes the folder when it is empty
    @pytest.mark.parametrize("where", ["", "/"])
    def test_the_original_place_is_a_file_too(self, script, server, kind, name, dump, where):
        server.write(name, "UPDATE things SET label = 'now'")
        file = Path(f"/.databases/{kind}/{name}.sql")
        try:
            done = script.run("load", kind, name, where, given=dump)

            assert (done.returncode, file.read_bytes()) == (0, dump)
            assert server.query(name, THINGS) == "1\tnow\n2\tnow\n"
        finally:
            file.unlink(missing_ok=True)
            for folder in (file.parent, file.parent.parent):
                if folder.exists() and not any(folder.iterdir()):
                    folder.rmdir()

    def test_one_that_is_there_is_replaced(self, script, kind, name, dump, place, tmp_path):
        file = place / ".databases" / kind / f"{name}.sql"
        file.parent.mkdir(parents=True)
        (tmp_path / "mine").write_text("mine")
        file.symlink_to(tmp_path / "mine")

        done = script.run("load", kind, name, f"{place}/", given=dump)

        assert (done.returncode, file.is_symlink(), file.read_bytes()) == (0, False, dump)
        assert (tmp_path / "mine").read_text() == "mine"

    @pytest.mark.parametrize("link", [".databases", ".databases/mysql"])
    def test_no_symlink_leads_it_elsewhere(self, script, kind, name, dump, place, link):
        elsewhere = place / "elsewhere"
        elsewhere.mkdir(parents=True)
        (place / link).parent.mkdir(exist_ok=True)
        (place / link).symlink_to(elsewhere)

        done = script.run("load", kind, name, str(place), given=dump)

        assert (done.returncode, list(elsewhere.iterdir())) == (1, [])
        assert done.stderr == f"'{place / link}' is not a folder.\n"

    def test_a_folder_in_its_place_stays(self, script, kind, name, dump, place):
        folder = place / ".databases" / kind / f"{name}.sql"
        folder.mkdir(parents=True)

        done = script.run("load", kind, name, str(place), given=dump)

        assert (done.returncode, list(folder.iterdir())) == (1, [])
        assert done.stderr == f"There is a folder '{folder}'.\n"

    def test_one_that_is_not_whole_leaves_what_is_there(self, script, kind, name, dump, place):
        file = place / ".databases" / kind / f"{name}.sql"
        file.parent.mkdir(parents=True)
        file.write_text("before")

        done = script.run("load", kind, name, str(place), given=dump[:-10])

        assert (done.returncode, file.read_text()) == (1, "before")
        assert list(file.parent.iterdir()) == [file]

    def test_a_relative_place_is_refused(self, script, kind, name, dump):
        done = script.run("load", kind, name, "place", given=dump)

        assert (done.returncode, done.stderr) == (
            1,
            "The folder 'place' is not an absolute path.\n",
        )


class TestComment:
    """Where a dump goes to, as Bacula says it: in a comment, so that no shell reads it."""

    @pytest.fixture
    def kind(self):
        return "mysql"

    def test_it_names_the_database(self, script, server, kind, name, dump):
        before = server.query(name, THINGS)
        server.write(name, "DROP TABLE things")

        done = script.run_as_bacula("load", kind, name, where=f"{LOAD}/{name}", given=dump)

        assert (done.returncode, server.query(name, THINGS)) == (0, before)

    @pytest.mark.parametrize("text", HOSTILE)
    def test_nothing_in_it_is_run(self, script, kind, name, dump, tmp_path, text):
        where = f"{tmp_path}/place/{text.format('started')}"

        done = script.run_as_bacula("load", kind, name, where=where, given=dump)

        assert done.returncode == 0, done.stderr
        assert Path(f"{where}/.databases/mysql/{name}.sql").read_bytes() == dump
        assert not Path("/started").exists()
        assert not list(tmp_path.rglob("started"))

    def test_without_one_nothing_is_done(self, script, kind, name, dump):
        done = script.run("load", kind, name, given=dump)

        assert (done.returncode, done.stderr) == (
            1,
            f"The destination of the dump of the mysql database '{name}' is unknown.\n",
        )

    def test_one_that_may_have_been_cut_off_is_refused(self, script, kind, name, dump, tmp_path):
        where = f"{tmp_path}/".ljust(511, "x")

        done = script.run_as_bacula("load", kind, name, where=where, given=dump)

        assert done.returncode == 1
        assert done.stderr == f"The folder '{where}' may have been longer: it was cut off.\n"
