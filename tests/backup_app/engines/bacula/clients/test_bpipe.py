"""Databases through a real Bacula: what its plugin bpipe makes of our lines."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from backup_app.engines.bacula.catalog.job_log import Line
from backup_app.engines.bacula.clients import databases
from backup_app.engines.bacula.config import database_plugins, fileset_resource, resources
from backup_app.models import Client

from ....support.machine.databases import ONE_ROW, THINGS


class Bpipe:
    """A backup of one database by the operator's own console."""

    def __init__(self, installation, script, kind, name):
        self.installation, self.script, self.kind, self.name = installation, script, kind, name
        engine = SimpleNamespace(database_program=script.as_program())
        wanted = SimpleNamespace(
            include=[], exclude=[], options={}, databases=[{"kind": kind, "name": name}]
        )
        uses = {"client": "one-fd", "fileset": name, "pool": "Default", "storage": "File1"}
        text = fileset_resource.fileset(name, wanted, database_plugins.plugins(engine, wanted))
        text += resources.backup_job(name, Client(), **uses, messages="Standard")
        self.config = installation.operator_d / f"{name}.conf"
        self.config.write_text(text)
        installation.reload()

    def back_up(self):
        """Return the number of a backup and the letter by which it ended."""
        said = self.installation.bconsole(f"run job={self.name} level=Full yes")
        return self._ended(said)

    def restore(self, backup, where):
        """Restore the dump to a place; return the number of the job and its letter."""
        file = database_plugins.dump_path(self.kind, self.name).decode()
        said = self.installation.bconsole(
            f'restore client=one-fd jobid={backup} file={file} where="{where}" '
            "restorejob=operator-restore done yes"
        )
        return self._ended(said)

    def load(self, backup):
        return self.restore(backup, database_plugins.load_place(self.name))

    def log(self, job_id):
        text = "replace(logtext, chr(10), ' ')"
        query = f"SELECT {text} FROM log WHERE jobid = {int(job_id)} ORDER BY logid"  # noqa: S608
        return "\n".join("\t".join(row) for row in self.installation.query(query))

    def remove(self):
        self.config.unlink()
        self.installation.reload()

    def _ended(self, said):
        number = int(said.rpartition("JobId=")[2].split()[0])
        return number, self.installation.wait(number)


@pytest.fixture
def kind():
    return "mysql"


@pytest.fixture
def rows():
    return ONE_ROW


@pytest.fixture
def bpipe(bacula, script, kind, name):
    made = Bpipe(bacula, script, kind, name)
    yield made
    made.remove()


@pytest.fixture
def backup(bpipe):
    number, letter = bpipe.back_up()
    assert letter == "T", bpipe.log(number)
    return number


def test_nothing_in_a_place_is_run(bpipe, backup, server, name, tmp_path):
    server.write(name, "UPDATE things SET label = 'now'")
    started = tmp_path / "started"
    place = tmp_path / f"$(touch {started}) `touch {started}`'; touch {started}; ' #{started}"

    number, letter = bpipe.restore(backup, place)

    assert letter == "T", bpipe.log(number)
    assert b"INSERT INTO `things`" in (place / f".databases/mysql/{name}.sql").read_bytes()
    assert server.query(name, THINGS) == "1\tnow\n"
    assert not started.exists()


def test_a_place_that_bpipe_cuts_off_is_refused(bpipe, backup, tmp_path):
    place = f"{tmp_path}/".ljust(600, "x")

    number, letter = bpipe.restore(backup, place)

    assert letter == "E"
    assert "may have been longer: it was cut off." in bpipe.log(number)
    assert not list(tmp_path.glob("x*"))


def test_a_failed_dump_is_no_failed_job_and_cannot_be_loaded(bpipe, script, server, name, tmp_path):
    server.drop(name)

    number, letter = bpipe.back_up()

    log = bpipe.log(number)
    assert letter == "T"
    [words] = databases.failed_dumps(Line.read(line) for line in log.splitlines())
    assert "Unknown database" in words
    assert words.endswith(f"The dump of the mysql database '{name}' failed.")
    server.create(name, "")
    number, letter = bpipe.load(number)
    assert letter == "E"
    assert f"The dump of the mysql database '{name}' is cut off" in bpipe.log(number)


def test_a_damaged_volume_loads_nothing(bpipe, server, name, bacula, script):
    server.fill(name, megabytes=2)
    number, _ = bpipe.back_up()
    query = f"""
        SELECT volumename FROM media JOIN jobmedia USING (mediaid)
        WHERE jobid = {number}"""  # noqa: S608
    [[volume]] = bacula.query(query)
    damage(bacula.volumes / volume)
    server.write(name, "UPDATE things SET label = 'now'")

    number, letter = bpipe.load(number)

    assert letter in "Ef", bpipe.log(number)
    assert server.query(name, THINGS) == "1\tnow\n"
    assert script.kept == []


def damage(volume: Path):
    data = bytearray(volume.read_bytes())
    data[len(data) // 2] ^= 1
    volume.write_bytes(data)
