"""The tree that tests of restores back up, and a folder that they must not touch."""

import pytest


@pytest.fixture
def tree(place):
    """A folder with ``a/b/one``, ``a/two`` and ``c/three`` in it."""
    folder = place / "tree"
    (folder / "a/b").mkdir(parents=True)
    (folder / "a/b/one").write_text("1")
    (folder / "a/two").write_text("2")
    (folder / "c").mkdir()
    (folder / "c/three").write_text("3")
    return folder


@pytest.fixture
def outside(tmp_path):
    """A folder outside of all roots, in which nothing may change."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "victim").write_text("untouched")
    before = folder.stat()
    yield folder
    after = folder.stat()
    assert [path.name for path in folder.iterdir()] == ["victim"]
    assert (folder / "victim").read_text() == "untouched"
    assert (after.st_mode, after.st_mtime_ns) == (before.st_mode, before.st_mtime_ns)
