"""A restore that is killed at any moment leaves old or new files, and what is found again."""

import os
import signal

import pytest

from backup_app.engines.archive import ArchiveEngine
from backup_app.models import Job
from tests.attacks import rounds

from ....support.local_backups import KiB, back_up, local_client, local_roots
from ....support.machine.processes import run_killed
from ....support.recording_run import Recording
from ....support.restores import begin_restore, restore

pytestmark = pytest.mark.django_db(transaction=True)
NEW, OLD = "new" * 20 * KiB, "old" * 20 * KiB
FILES = [f"file{number:02}" for number in range(20)]


class Killed(Recording):
    """Kills its own process at the first tick at which ``when()`` is true."""

    def __init__(self, job, when):
        super().__init__(job)
        self.when = when

    def tick(self, *args, **counts):
        if self.when():
            os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture
def tree(tmp_path):
    """A tree that was backed up as NEW, and is OLD now."""
    with local_roots(tmp_path):
        yield tmp_path / "tree"


@pytest.fixture
def backup(tmp_path, tree):
    client = local_client(tmp_path)
    (tree / "sub").mkdir()
    for name in FILES:
        (tree / "sub" / name).write_text(NEW)
    job = back_up(client)
    for name in FILES:
        (tree / "sub" / name).write_text(OLD)
    return job


def kill_restore(backup, tree, when):
    """Restore in a process that is killed; return the job."""
    job = begin_restore(backup, tree)
    run_killed(lambda: ArchiveEngine().restore(Killed(job, when)))
    return job


def left(tree):
    return [path.name for path in tree.parent.iterdir() if path.name.startswith(".restore-")]


def contents(tree):
    return [(tree / "sub" / name).read_text() for name in FILES]


def unpacked(tree):
    return lambda: bool(left(tree))


def half_placed(tree):
    return lambda: contents(tree).count(NEW) >= 10


@pytest.mark.parametrize("moment", [unpacked, half_placed])
def test_each_file_is_the_old_or_the_new_one(moment, backup, tree):
    kill_restore(backup, tree, moment(tree))

    assert set(contents(tree)) <= {OLD, NEW}
    assert contents(tree).count(NEW) == (10 if moment is half_placed else 0)


@pytest.mark.attack
@pytest.mark.parametrize("seed", range(rounds(2, 100)))
def test_one_that_is_killed_at_any_file_can_be_repeated(backup, tree, tmp_path, seed):
    placed = seed % (len(FILES) - 1) + 1

    job = kill_restore(backup, tree, lambda: contents(tree).count(NEW) >= placed)

    assert contents(tree).count(NEW) == placed
    assert set(contents(tree)) == {OLD, NEW}
    Job.objects.filter(pk=job.pk).update(status=Job.Status.FAILED)
    ArchiveEngine().discard(job)
    restore(backup, tree)
    assert set(contents(tree)) == {NEW}
    assert left(tree) == []
    assert list((tmp_path / "storage/work").iterdir()) == []


def test_what_is_left_is_private_and_named_for_its_job(backup, tree):
    job = kill_restore(backup, tree, unpacked(tree))

    (name,) = left(tree)
    assert name.startswith(f".restore-{job.pk}-")
    assert (tree.parent / name).stat().st_mode & 0o777 == 0o700


def test_what_is_left_is_removed_with_the_job(backup, tree, tmp_path):
    job = kill_restore(backup, tree, half_placed(tree))

    ArchiveEngine().discard(job)

    assert left(tree) == []
    assert list((tmp_path / "storage/work").iterdir()) == []


def test_the_next_restore_removes_what_an_ended_one_left(backup, tree):
    job = kill_restore(backup, tree, half_placed(tree))
    Job.objects.filter(pk=job.pk).update(status=Job.Status.FAILED)

    restore(backup, tree)

    assert left(tree) == []
    assert set(contents(tree)) == {NEW}
