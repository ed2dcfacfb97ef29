"""Users of a machine who swap what was listed before it is read."""

import os
import shutil

import pytest

from backup_app.engines.archive import reading
from backup_app.exceptions import EngineError

from .backups import back_up, local_client, local_roots, view

pytestmark = pytest.mark.django_db


@pytest.fixture
def place(tmp_path):
    with local_roots(tmp_path):
        yield tmp_path


@pytest.fixture
def meanwhile(tmp_path, monkeypatch):
    """Return what lets a script run after the listing, and before tar reads anything."""

    def run(script):
        program = tmp_path / "bin/tar"
        program.parent.mkdir()
        program.write_text(f'#!/bin/sh\ncd {tmp_path}\n{script}\nexec {shutil.which("tar")} "$@"\n')
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")

    return run


SWAP = "mv tree/mine tree/was && ln -s ../secrets tree/mine"


def make(folder, text):
    folder.mkdir(parents=True)
    (folder / "key").write_text(text)
    os.utime(folder / "key", (1_700_000_000, 1_700_000_000))


def test_an_old_file_of_somebody_else_is_not_read(place, meanwhile):
    make(place / "secrets", "theirs")
    make(place / "tree/mine", "my own")
    meanwhile(SWAP)

    with pytest.raises(EngineError, match=r"tree/mine/key' was another file when it was listed"):
        back_up(local_client(place))

    assert not (place / "storage/volumes").exists()


def test_nor_one_that_was_made_after_the_trap(place, meanwhile, monkeypatch):
    make(place / "tree/mine", "my own")
    make(place / "secrets", "theirs")
    meanwhile(SWAP)
    monkeypatch.setattr(reading, "SKEW", -10_000_000_000)  # as if they were made a minute ago

    with pytest.raises(EngineError, match="was another file when it was listed"):
        back_up(local_client(place))


@pytest.mark.parametrize(
    "change",
    [
        "echo more >> tree/mine/key",
        "chmod 600 tree/mine/key",
        "rm tree/mine/key; echo new > tree/mine/key",
        "echo new > tree/new; touch -d 2001-01-01 tree/new; mv tree/new tree/mine/key",
        "mv tree/old tree/mine/key",
        "ln tree/mine/key tree/mine/link",
    ],
)
def test_what_is_changed_meanwhile_is_stored(place, meanwhile, change):
    make(place / "tree/mine", "my own")
    (place / "tree/old").write_text("old")
    meanwhile(change)

    job = back_up(local_client(place))

    assert bytes(place / "tree/mine/key") in view(job)
