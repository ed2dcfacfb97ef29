"""Moving and syncing where the C library or the file system cannot do all of it."""

import os
from types import SimpleNamespace

import pytest

from backup_app.engines.shared import syscalls


@pytest.fixture
def folders(tmp_path):
    """Two open folders; the first has the folder ``new``, both have ``there``."""
    for name in ("from/new", "from/there", "to/there"):
        (tmp_path / name).mkdir(parents=True)
    fds = [os.open(tmp_path / name, os.O_RDONLY) for name in ("from", "to")]
    yield fds
    for fd in fds:
        os.close(fd)


@pytest.fixture(params=["with renameat2", "without"])
def _c_library(request, monkeypatch):
    if request.param == "without":
        monkeypatch.setattr(syscalls, "_libc", SimpleNamespace())


@pytest.mark.usefixtures("_c_library")
def test_a_folder_is_moved_only_where_its_name_is_free(folders, tmp_path):
    syscalls.rename_new(b"new", *folders)
    with pytest.raises(FileExistsError):
        syscalls.rename_new(b"there", *folders)

    assert {str(path.relative_to(tmp_path)) for path in tmp_path.glob("*/*")} == {
        *("from/there", "to/new", "to/there")
    }


def test_a_disk_that_cannot_be_synced_is_an_error(tmp_path):
    fd = os.open(tmp_path, os.O_PATH)
    try:
        with pytest.raises(OSError, match="Bad file descriptor: 'the file system'"):
            syscalls.sync_file_system(fd)
    finally:
        os.close(fd)
