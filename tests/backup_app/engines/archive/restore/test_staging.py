import os
import subprocess

import pytest

from backup_app.engines.archive.restore import staging
from backup_app.engines.archive.restore.staging import (
    Staging,
    is_left,
    new_name,
    noted,
    remove_noted,
)
from backup_app.exceptions import EngineError
from tests.prerequisites import as_root

from ....support.factories import JobFactory

pytestmark = pytest.mark.django_db
STRANGER = 12345


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture
def made(root, work):
    """Return a function that makes a private folder, and says what is in the root meanwhile."""

    def make(job_id=1, below=b""):
        with Staging(job_id, work).on_disk_of(bytes(root), below):
            return sorted(path.name for path in root.iterdir())

    return make


def leave(folder, job_id, mode=0o700):
    """Make what a killed restore of a job leaves."""
    left = folder / os.fsdecode(new_name(job_id))
    left.mkdir(mode=mode)
    (left / "tree").mkdir()
    return left


def test_a_private_folder_is_the_servers_own_and_gone_afterwards(root, work):
    with Staging(7, work).on_disk_of(bytes(root), b"") as fd:
        assert os.fstat(fd).st_mode & 0o777 == 0o700
        assert [place["root"] for place in noted(work)] == [bytes(root)]

    assert list(root.iterdir()) == []


def test_nothing_stays_in_one_that_was_renamed(root, work):
    with Staging(7, work).on_disk_of(bytes(root), b"") as fd:
        os.mkdir("tree", dir_fd=fd)
        os.close(os.open("tree/secret", os.O_CREAT, dir_fd=fd))
        [private] = root.iterdir()
        private.rename(root / "kept")

    assert [list(path.iterdir()) for path in root.iterdir()] == [[]]


@as_root
def test_it_lies_at_the_top_of_the_disk_that_is_restored_to(root, made):
    (root / "a/disk/b").mkdir(parents=True)
    assert len(made(below=b"a")) == 2

    subprocess.run(["mount", "-t", "tmpfs", "none", root / "a/disk"], check=True)
    try:
        assert made(below=b"a/disk/b/c") == ["a"]
    finally:
        subprocess.run(["umount", "-l", root / "a/disk"], check=True)


def test_a_root_that_is_not_there_is_named(root, made):
    root.rmdir()

    with pytest.raises(EngineError, match=f"'{root}' cannot be opened: No such file"):
        made()


def test_the_folder_of_an_ended_job_is_removed(root, made):
    left = leave(root, JobFactory(status="failed").pk)

    assert left.name not in made()


def test_the_folder_of_a_running_job_stays(root, made):
    left = leave(root, JobFactory(status="running").pk)

    assert left.name in made()


@as_root
@pytest.mark.parametrize(("owner", "mode"), [(STRANGER, 0o700), (0, 0o755)])
def test_what_only_has_the_name_of_a_private_folder_stays(owner, mode, root, made):
    other = leave(root, JobFactory(status="failed").pk, mode)
    os.chown(other, owner, owner)

    made()

    assert (other / "tree").is_dir()


def test_a_note_that_was_cut_off_is_no_hindrance(root, work):
    left = leave(root, 1)
    Staging(1, work).note(root=bytes(root), parent=b"", name=bytes(left.name.encode()))
    with (work / staging.NOTE).open("a") as file:
        file.write('{"root": "L3')

    remove_noted(work)

    assert not left.exists()


@pytest.mark.parametrize("name", [b"tree", b"../root", b".restore-1-0123456789abcdef/x"])
def test_a_note_removes_private_folders_only(name, root, work):
    (root / "tree").mkdir()
    Staging(1, work).note(root=bytes(root), parent=b"", name=name)

    remove_noted(work)

    assert (root / "tree").is_dir()
    assert not is_left(name)
