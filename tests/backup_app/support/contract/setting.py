"""What the tests of all engines stand on: hooks, a tree, and how to back it up and restore it."""

import os
import stat
import time
from pathlib import Path

import pytest

from backup_app.engines import get_engine
from backup_app.jobs import control, execute
from backup_app.models import Job
from backup_app.models.job import ACTIVE

from ..restores import tree_of

LATIN = b"caf\xe9\nau lait"
UNKNOWN = 2**62


class Setting:
    """What a subclass gives, besides the mark ``django_db``:

    ``tree``: a fixture, an empty folder (Path) below which a client's files are.
    ``machine``: a fixture, a Client that backs up just that folder with the engine.
    ``destination``: a fixture, an empty folder (Path) to restore to.
    ``leftovers(job)``: all that is stored of a job, as a list.
    ``damage(job)``: spoils what a backup stored.
    ``finish(job)``: does a queued job, and looks after one that goes on in its engine.

    And where an engine keeps less than all, what it keeps:

    ``time_step_ns``: of what the times of files are multiples.
    ``knows_targets``: whether views say what symlinks lead to.
    ``dates_folders``: whether a restore from several backups gives folders their times.
    """

    time_step_ns = 1
    knows_targets = True
    dates_folders = True

    def leftovers(self, job) -> list:
        raise NotImplementedError

    def damage(self, job) -> None:
        raise NotImplementedError

    def finish(self, job) -> Job:
        execute.run(job.pk)
        while (job := Job.objects.get(pk=job.pk)).status in ACTIVE:
            time.sleep(0.1)
            execute.resume(job.pk)
        return job

    @pytest.fixture
    def filled(self, tree):
        """A tree with what trees have."""
        (tree / "docs" / "old").mkdir(parents=True)
        (tree / "docs" / "letter").write_text("Dear all")
        (tree / "docs" / "old" / "draft").write_text("Dear")
        (tree / "empty").mkdir()
        (tree / "large").write_bytes(os.urandom(300_000))
        (tree / "large").chmod(0o640)
        (tree / "link").symlink_to("docs/letter")
        os.link(tree / "large", tree / "twin")
        Path(os.fsdecode(bytes(tree) + b"/" + LATIN)).write_text("bytes")
        os.utime(tree / "docs", ns=(10**18, 10**18 + 123_456_789))
        return tree

    @pytest.fixture
    def engine(self, machine):
        return get_engine(machine.pool.storage.zone.engine)

    def back_up(self, machine, level="Full"):
        job = self.finish(control.start_backup(machine, level=level, by="test"))
        lines = [str(line) for line in job.log.all()]
        assert (job.status, lines) == ("completed", lines)
        return job

    def restore(self, backup, selection, destination, status="completed"):
        path = os.fsencode(destination)
        job = control.start_restore(backup, backup.client, selection, path=path, by="test")
        job = self.finish(job)
        lines = [str(line) for line in job.log.all()]
        assert (job.status, lines) == (status, lines)
        return job

    def tree_of(self, folder, *, dated_folders=True):
        """Return what there is below a folder, with times as the engine keeps them."""
        found = tree_of(folder).items()
        return {path: self._kept(dated_folders, *values) for path, values in found}

    def _kept(self, dated_folders, mode, owner, mtime_ns, *rest):
        is_dated = dated_folders or not stat.S_ISDIR(mode)
        mtime_ns = mtime_ns // self.time_step_ns * self.time_step_ns if is_dated else None
        return mode, owner, mtime_ns, *rest

    def paths_in(self, engine, job, folder):
        """Return the paths of all that is below a folder of a view, by walking through it."""
        found = []
        for file in engine.list_folder(job, folder).files:
            found.append(file.path)
            if file.node_id is not None:
                found += self.paths_in(engine, job, file.path)
        return sorted(found)


def change(tree):
    """Change a tree in each way in which trees change."""
    (tree / "large").unlink()
    (tree / "twin").unlink()
    (tree / "empty").rmdir()
    (tree / "docs" / "letter").write_text("Dear nobody")
    (tree / "new").write_text("new")
    (tree / "added").mkdir()
    (tree / "added" / "file").write_text("added")
    (tree / "link").unlink()
    (tree / "link").symlink_to("new")


def paths_of(folder) -> list[bytes]:
    """Return the paths of all that is below a folder."""
    found = []
    for top, folders, files in os.walk(bytes(folder)):
        found += [top + b"/" + name for name in [*folders, *files]]
    return sorted(found)


def at(destination, path) -> Path:
    """Return where a path is below a destination: whole."""
    return Path(f"{destination}{path}")


def downloaded(engine, job) -> bytes:
    size, plan = engine.plan_download(job)
    with engine.open_download(job, plan) as ranges:
        data = b"".join(ranges.read(0, size))
    assert len(data) == size
    return data


def at_work(job) -> Job:
    """Return a queued job as an engine gets it when a worker has begun it."""
    Job.objects.filter(pk=job.pk).update(status=Job.Status.RUNNING)
    related = "client", "fileset", "pool", "storage__zone", "parent"
    return Job.objects.select_related(*related).get(pk=job.pk)


def ended(job):
    Job.objects.filter(pk=job.pk).update(status=Job.Status.CANCELED)
