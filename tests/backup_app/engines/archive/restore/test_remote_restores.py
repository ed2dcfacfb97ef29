"""Restores to another machine: a real SSH server, which happens to be on this one."""

import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from backup_app.engines.archive.restore.staging import is_ours
from backup_app.exceptions import Canceled, EngineError
from tests.prerequisites import as_root

from ....support.local_backups import back_up, hard_links, local_client, over_ssh
from ....support.machine.trees import change, changes, forests, plant
from ....support.recording_run import Recording
from ....support.restores import begin_restore, below, restore, tree_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("backup_root")]


@pytest.fixture
def client(ssh_server, tree, tmp_path):
    return local_client(tmp_path, **over_ssh(ssh_server))


def left():
    return [path for path in Path("/").iterdir() if is_ours(bytes(path)[1:])]


def test_a_lost_tree_comes_back_where_it_was(client, tree):
    before = tree_of(tree)
    job = back_up(client)
    shutil.rmtree(tree)

    run = restore(job, tree)

    assert tree_of(tree) == before
    assert run.lines[1:] == []
    assert left() == []


def test_another_destination_keeps_the_full_path_and_is_made(client, tree, tmp_path):
    job = back_up(client)
    before = tree_of(tree)

    restore(job, tree, to=tmp_path / "new/it's\nodd")

    assert tree_of(below(tmp_path / "new/it's\nodd", tree)) == before


@as_root
def test_all_comes_back_where_it_was(client, tree):
    before = tree_of(tree)
    job = back_up(client)
    shutil.rmtree(tree)

    restore(job, "/")

    assert tree_of(tree) == before
    assert left() == []


def test_what_is_there_is_replaced_and_its_neighbours_stay(client, tree):
    job = back_up(client)
    before = tree_of(tree)
    (tree / "a/two").write_text("changed")
    (tree / "a/b").chmod(0o700)
    (tree / "c/three").unlink()
    (tree / "c/later").write_text("later")

    restore(job, tree)

    assert (tree / "c/later").read_text() == "later"
    (tree / "c/later").unlink()
    after = tree_of(tree)
    assert {path: what for path, what in after.items() if path != b"./c"} == {
        path: what for path, what in before.items() if path != b"./c"
    }


def test_folders_on_the_way_keep_their_metadata(client, tree):
    job = back_up(client)
    (tree / "a").chmod(0o700)
    (tree / "a/b/one").unlink()

    restore(job, tree / "a/b/one")

    assert (tree / "a/b/one").read_text() == "1"
    assert stat.S_IMODE((tree / "a").stat().st_mode) == 0o700


def test_a_hard_link_is_restored_without_its_target(client, tree, tmp_path):
    os.link(tree / "a/b/one", tree / "c/link")
    job = back_up(client)
    [link] = hard_links(job)
    times = link.parent.stat().st_mtime_ns

    restore(job, link, to=tmp_path / "new")

    restored = below(tmp_path / "new", link)
    assert restored.read_text() == "1"
    assert [path for path in (tmp_path / "new").rglob("*") if path.is_file()] == [restored]
    assert [path.name for path in below(tmp_path / "new", tree).iterdir()] == [
        link.relative_to(tree).parts[0]
    ]
    assert restored.parent.stat().st_mtime_ns == times


def test_a_symlink_on_the_way_is_not_followed(client, tree, outside):
    job = back_up(client)
    shutil.rmtree(tree / "a")
    (tree / "a").symlink_to(outside)
    (tree / "c/three").unlink()

    run = restore(job, tree / "a/two", tree / "c")

    line = f"'{tree}/a': Its path leads through a symlink or a file."
    assert run.lines[1:] == [("warning", line)]
    assert (tree / "c/three").read_text() == "3"


def test_a_symlink_in_the_place_of_a_restored_folder_is_replaced(client, tree, outside):
    before = tree_of(tree)
    job = back_up(client)
    shutil.rmtree(tree / "a")
    (tree / "a").symlink_to(outside)

    restore(job, tree)

    assert tree_of(tree) == before


def test_a_destination_that_leads_over_a_symlink_is_refused(client, tree, tmp_path, outside):
    job = back_up(client)
    (tmp_path / "link").symlink_to(outside)

    with pytest.raises(EngineError, match="leads through a symlink"):
        restore(job, tree, to=tmp_path / "link/new")

    assert left() == []


def test_a_folder_with_content_makes_no_way_for_a_file(client, tree):
    job = back_up(client)
    (tree / "a/two").unlink()
    (tree / "a/two").mkdir()
    (tree / "a/two/new").write_text("new")

    run = restore(job, tree)

    line = f"'{tree}/a/two': A folder that is not empty is in its place."
    assert run.lines[1:] == [("warning", line)]
    assert (tree / "a/two/new").read_text() == "new"


def test_a_cancel_leaves_nothing(client, tree):
    job = back_up(client)
    shutil.rmtree(tree)

    with pytest.raises(Canceled):
        restore(job, tree, run=Recording(begin_restore(job, tree), cancel_at=12))

    assert not tree.exists()
    assert left() == []


@settings(
    max_examples=2,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(forest=forests, step=changes)
def test_what_was_changed_is_put_back_in_place(client, tree, forest, step):
    subprocess.run(["rm", "-rf", tree], check=True)
    tree.mkdir()
    top = os.fsencode(tree)
    plant(top, forest)
    before = tree_of(top)
    job = back_up(client)
    change(top, [pair for pair in step if pair[0] in ("delete", "touch")])

    run = restore(job, tree)

    assert run.lines[1:] == []
    assert tree_of(top) == before
