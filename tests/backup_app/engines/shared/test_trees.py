"""Copying trees with programs, which may be slow or missing."""

import os

import pytest

from backup_app.engines.shared import trees
from backup_app.engines.values import no_tick
from backup_app.exceptions import Canceled


@pytest.fixture
def fd(tmp_path):
    fd = os.open(tmp_path, os.O_RDONLY)
    yield fd
    os.close(fd)


def test_a_copy_that_is_canceled_ends_its_program(fd, tmp_path, monkeypatch):
    (tmp_path / "cp").write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid; exec sleep 600")
    (tmp_path / "cp").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)

    def tick():
        if (tmp_path / "pid").exists() and (tmp_path / "pid").read_text():
            raise Canceled

    with pytest.raises(Canceled):
        trees.copy_tree(fd, b"copy", fd, tick)

    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_a_missing_program_is_not_taken_for_a_missing_file(fd, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(OSError, match="the program 'cp' is not installed") as refused:
        trees.copy_tree(fd, b"copy", fd, no_tick)

    assert not isinstance(refused.value, FileNotFoundError)
