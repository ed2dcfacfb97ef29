"""Folders and programs that tests of the archive engine have in common."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest

from ...support.local_backups import back_up, local_client, local_roots


@pytest.fixture
def place(tmp_path):
    """A folder whose content may be backed up and restored."""
    with local_roots(tmp_path):
        yield tmp_path


@pytest.fixture
def client(db, place):
    """A client with one file."""
    client = local_client(place)
    (place / "tree/file").write_text("content")
    return client


@pytest.fixture
def job(client):
    """A full backup of the client."""
    return back_up(client)


@pytest.fixture
def work(tmp_path):
    """The folder in which restores note what they have made."""
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def other_disk():
    """A folder on another file system than that of the tests' own."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        yield Path(folder)


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Return what puts a script in the place of a program; in it {real} is the program itself."""
    folder = tmp_path / "bin"

    def replace(name, script):
        folder.mkdir()
        (folder / name).write_text("#!/bin/sh\n" + script.replace("{real}", shutil.which(name)))
        (folder / name).chmod(0o755)
        monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)

    return replace
