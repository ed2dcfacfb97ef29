"""``backup.py``: full backups of real trees."""

import hashlib

import pytest

from backup_app.models import Entry

from .backups import back_up, local_client, local_roots, stored, view

pytestmark = pytest.mark.django_db


@pytest.fixture
def place(tmp_path):
    with local_roots(tmp_path):
        yield tmp_path


def test_a_full_backup_catalogues_what_is_there(place):
    client = local_client(place)
    (place / "tree/sub").mkdir()
    (place / "tree/sub/a").write_bytes(b"hello")
    (place / "tree/empty").mkdir()

    job = back_up(client)

    assert (job.status, job.files, job.bytes) == ("completed", 1, 5)
    tree = bytes(place / "tree")
    above = {tree.rsplit(b"/", n)[0] or b"/": "d" for n in range(1, tree.count(b"/") + 1)}
    assert stored(job) == above | {
        tree: "d",
        tree + b"/sub": "d",
        tree + b"/sub/a": "f",
        tree + b"/empty": "d",
    }
    assert view(job)[tree + b"/sub/a"].sha256 == hashlib.sha256(b"hello").digest()


def test_an_unchanged_tree_adds_no_entries(place):
    client = local_client(place)
    (place / "tree/a").write_bytes(b"hello")
    full = back_up(client)
    before = Entry.objects.count()

    job = back_up(client, "Incremental")

    assert (job.level, job.files, job.bytes) == ("Incremental", 0, 0)
    assert Entry.objects.count() == before
    assert view(job).keys() == view(full).keys()
