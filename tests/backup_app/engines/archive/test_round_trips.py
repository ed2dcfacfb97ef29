"""Whatever a tree is like, backup and restore bring it back."""

import os
import subprocess
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.prerequisites import as_root

from ...support.local_backups import back_up, local_client, local_roots
from ...support.machine.trees import bury, change, changes, forests, plant
from ...support.restores import restore, tree_of

pytestmark = [pytest.mark.django_db, as_root]
FEW = settings(
    max_examples=5,
    phases=[Phase.generate],
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
numbers = count()


@pytest.fixture
def place(tmp_path):
    with local_roots(tmp_path):
        yield tmp_path
    subprocess.run(["rm", "-rf", tmp_path], check=True)  # deeper than pytest goes


def new_client(place):
    """Return a client of its own for an example, and its folder."""
    folder = place / str(next(numbers))
    folder.mkdir()
    client = local_client(folder)
    return client, os.fsencode(folder / "tree")


def round_trip(job, tree, place):
    """Return a tree as it is below another destination, after a restore to there."""
    new = place / f"to{next(numbers)}"
    run = restore(job, tree, to=new)
    got = tree_of(os.fsencode(new) + tree)
    subprocess.run(["rm", "-rf", new], check=True)
    assert run.lines[1:] == []
    return got


@FEW
@given(forest=forests)
def test_a_full_backup_is_restored_as_it_was(place, forest):
    client, tree = new_client(place)
    plant(tree, forest)
    before = tree_of(tree)

    job = back_up(client)

    assert round_trip(job, tree, place) == before


@FEW
@given(forest=forests, steps=st.lists(changes, min_size=3, max_size=3))
def test_each_backup_of_a_chain_is_restored_as_it_was(place, forest, steps):
    client, tree = new_client(place)
    plant(tree, forest)
    jobs = [(back_up(client), tree_of(tree))]
    for level, step in zip(["Incremental", "Incremental", "Differential"], steps, strict=True):
        change(tree, step)
        before = tree_of(tree)
        jobs.append((back_up(client, level), before))

    for job, before in jobs:
        assert round_trip(job, tree, place) == before


@FEW
@given(forest=forests, step=changes)
def test_what_was_changed_is_put_back_in_place(place, forest, step):
    client, tree = new_client(place)
    plant(tree, forest)
    before = tree_of(tree)
    job = back_up(client)
    change(tree, [pair for pair in step if pair[0] in ("delete", "touch")])

    restore(job, tree)

    assert tree_of(tree) == before


def test_hard_links_of_a_renamed_folder_are_restored_as_such(place):
    client, tree = new_client(place)
    top = Path(os.fsdecode(tree))
    (top / "old").mkdir()
    (top / "old/file").write_bytes(b"content")
    (top / "link").hardlink_to(top / "old/file")
    back_up(client)
    (top / "old").rename(top / "new")
    before = tree_of(tree)

    job = back_up(client, "Incremental")

    assert before[b"./link"][5] == before[b"./new/file"][5]
    assert round_trip(job, tree, place) == before


def test_a_path_of_4000_bytes_is_restored(place):
    client, tree = new_client(place)
    bury(tree, 4000)
    before = tree_of(tree)
    job = back_up(client)

    assert round_trip(job, tree, place) == before
    assert len(before) > 15
