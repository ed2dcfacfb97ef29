"""What is in a backup that a file daemon has really made."""

import hashlib
import os
import re
import shutil

import pytest

from backup_app.engines import get_engine
from backup_app.exceptions import NotFound
from backup_app.models import JobSource

from ....support.factories import JobFactory

pytestmark = pytest.mark.django_db

NAMES = [b"caf\xe9\nau lait", b"a\\b'c\"%s", b" ", b"\xf0\x9f\x98\x80", b"n" * 255]
CONFIG = """
FileSet {{ Name = "{name}"; Include {{
  Options {{ signature = SHA256 }}
  File = "{folder}"
}} }}
Job {{ Name = "{name}"; Type = Backup; JobDefs = operator; FileSet = "{name}" }}
"""


@pytest.fixture
def tree(tmp_path):
    top = tmp_path / "above" / "tree"
    (top / "docs" / "old").mkdir(parents=True)
    (top / "docs" / "letter").write_bytes(b"Dear all")
    (top / "docs" / "old" / "draft").write_bytes(b"")
    os.chown(top / "docs" / "letter", 12345, 54321)
    (top / "docs" / "letter").chmod(0o4640)
    os.utime(top / "docs" / "letter", (-86400, -86400))
    (top / "link").symlink_to("docs/letter")
    os.link(top / "docs" / "letter", top / "twin")
    os.mkfifo(top / "fifo")
    (top / "empty").mkdir()
    for name in NAMES:
        with open(bytes(top) + b"/" + name, "wb") as file:  # noqa: PTH123 - bytes are no Path
            file.write(name)
    return top


@pytest.fixture
def back_up(bacula, bacula_client, tree):
    """A function that backs up the tree at a level of Bacula's and returns our job."""
    client, made = bacula_client(), []
    config = bacula.operator_d / f"{bacula.prefix}view.conf"
    config.write_text(CONFIG.format(name=f"{bacula.prefix}view", folder=tree))
    bacula.reload()

    def run(level):
        said = bacula.bconsole(f"run job={bacula.prefix}view level={level} yes")
        number = int(re.search(r"JobId=(\d+)", said)[1])
        assert bacula.wait(number) == "T"
        job = JobFactory(client=client, status="completed", level=level, engine_job_id=number)
        made.append(job)
        JobSource.objects.bulk_create(JobSource(job=job, source=source) for source in made)
        return job

    yield run
    config.unlink()
    bacula.reload()


def listed(job, path):
    return {file.name: file for file in get_engine().list_folder(job, bytes(path)).files}


def test_everything_in_a_tree_is_described(back_up, tree):
    job = back_up("Full")

    found = listed(job, tree)
    docs = listed(job, tree / "docs")

    assert set(found) == {b"docs", b"empty", b"fifo", b"link", b"twin", *NAMES}
    letter = docs[b"letter"]
    assert (letter.size, letter.mode, letter.mtime) == (8, 0o4640, -86400)
    assert (letter.owner, letter.group) == ("12345", "54321")
    assert {letter.type, found[b"twin"].type} == {"file", "hardlink"}
    saved = letter if letter.type == "file" else found[b"twin"]
    assert saved.sha256 == hashlib.sha256(b"Dear all").digest()
    for name in NAMES:
        assert found[name].sha256 == hashlib.sha256(name).digest()
        assert found[name].path == bytes(tree) + b"/" + name
    kinds = {found[name].type for name in (b"fifo", b"link", b"docs")}
    assert kinds == {"fifo", "symlink", "directory"}
    assert found[b"docs"].mtime == int((tree / "docs").stat().st_mtime)


def test_a_tree_is_walked_from_the_root(back_up, tree):
    engine, job = get_engine(), back_up("Full")
    node_id = engine.list_folder(job, b"/").node_id

    for name in bytes(tree).split(b"/")[1:]:
        nodes = {node.name: node for node in engine.subfolders(job, node_id)}
        assert nodes[name].has_children
        node_id = nodes[name].node_id

    docs, empty = engine.subfolders(job, node_id)
    assert (docs.name, docs.files, docs.has_children) == (b"docs", 1, True)
    assert (empty.path, empty.files, empty.has_children) == (bytes(tree / "empty"), 0, False)
    assert engine.folder_path(job, node_id) == bytes(tree)


def test_what_was_deleted_or_changed_since_is_known(back_up, tree):
    full = back_up("Full")
    shutil.rmtree(tree / "docs")
    (tree / "twin").unlink()
    (tree / "link").unlink()
    (tree / "link").mkdir()
    (tree / "new").write_bytes(b"new")
    later = back_up("Incremental")
    (tree / "docs").mkdir()
    again = back_up("Incremental")

    assert {b"docs", b"link", b"twin"} < set(listed(full, tree))
    assert {b"docs", b"twin"}.isdisjoint(listed(later, tree))
    assert (listed(later, tree)[b"link"].type, listed(later, tree)[b"new"].size) == ("directory", 3)
    with pytest.raises(NotFound):
        listed(later, tree / "docs")
    assert listed(again, tree / "docs") == {}
    assert {b"new", b"docs"} < set(listed(again, tree))


def test_a_job_that_stored_nothing_has_the_view_of_the_one_before(back_up, tree):
    full = back_up("Full")

    nothing = back_up("Incremental")

    assert listed(nothing, tree) == listed(full, tree)
    assert listed(nothing, tree.parent) == listed(full, tree.parent)
