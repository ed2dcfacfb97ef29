"""The versions of a file, and the differences between two backups."""

import tracemalloc
from base64 import urlsafe_b64encode

import pytest

from backup_app.engines.shared import difference_pages as comparing
from backup_app.exceptions import Invalid, NotFound, WrongState
from backup_app.models import Entry, Folder
from backup_app.services.files import finding

from ....support.catalog_rows import catalogued
from ....support.factories import ClientFactory
from ....support.folder_engine import folder_engine

pytestmark = pytest.mark.django_db


@pytest.fixture
def client():
    return ClientFactory()


@pytest.fixture
def chain(client):
    """A full backup and two incrementals, of which the first changes and the second deletes."""
    full = catalogued(client, {b"/a/file": ("f", 1), b"/a/same": "f", b"/b/deep/x": "f"})
    changed = catalogued(client, {b"/a/file": ("f", 2)}, full)
    deleted = catalogued(client, {b"/a/file": "-", b"/b/new": "f"}, changed)
    return full, changed, deleted


def told(found):
    return [(row.path, row.change) for row in found.rows]


def test_versions_are_told_with_the_backups_that_have_them(client, chain):
    full, changed, deleted = chain

    found = finding.history(client, b"/a/file")

    assert [(v.file.size, v.oldest, v.newest, v.backups) for v in found.versions] == [
        (2, changed, changed, 1),
        (1, full, full, 1),
    ]
    assert found.gone_since == deleted


def test_an_unchanged_file_is_one_version(client, chain):
    full, _, deleted = chain

    (version,) = finding.history(client, b"/a/same/").versions

    assert (version.oldest, version.newest, version.backups) == (full, deleted, 3)
    assert finding.history(client, b"/a/same").gone_since is None


def test_a_file_that_no_backup_has_has_no_versions(client, chain):
    for path in (b"/a/none", b"/none/file", b"/"):
        assert len(finding.history(client, path).versions) <= 1
    with pytest.raises(NotFound):
        finding.history(client, b"/a/../b")


def test_backups_that_failed_do_not_count(client, chain):
    full, changed, _ = chain
    changed.status = "failed"
    changed.save()

    assert [v.newest for v in finding.history(client, b"/a/file").versions] == [full]


def test_what_was_added_removed_and_changed(chain):
    full, changed, deleted = chain

    assert told(finding.differences(full, changed)) == [(b"/a/file", "changed")]
    assert told(finding.differences(full, deleted)) == [
        (b"/a/file", "removed"),
        (b"/b/new", "added"),
    ]
    assert told(finding.differences(deleted, full)) == [
        (b"/a/file", "added"),
        (b"/b/new", "removed"),
    ]
    assert told(finding.differences(full, full)) == []
    (row,) = finding.differences(full, changed).rows
    assert (row.old.size, row.new.size) == (1, 2)


def test_only_what_is_below_a_path(chain):
    full, _, deleted = chain

    assert told(finding.differences(full, deleted, path=b"/b")) == [(b"/b/new", "added")]
    assert told(finding.differences(full, deleted, path=b"/a/fi")) == []


def test_independent_backups_are_compared_by_what_they_hold(client, chain):
    other = catalogued(client, {b"/a/same": "f", b"/c/z": "f"})

    paths = [path for path, _ in told(finding.differences(chain[0], other))]

    # The times of generated entries differ with their backups.
    assert paths == [b"/b", b"/c", b"/a/file", b"/a/same", b"/b/deep", b"/b/deep/x", b"/c/z"]


@pytest.mark.parametrize("limit", [1, 2, 3, 100])
@pytest.mark.parametrize("folders", [1, 200])
def test_pages_continue_where_the_last_one_ended(client, chain, limit, folders, monkeypatch):
    monkeypatch.setattr(comparing, "FOLDERS", folders)
    other = catalogued(client, {b"/a/same": "f", b"/c/z": "f", b"/c/y": "f"})
    whole = told(finding.differences(chain[0], other))

    pages, after = [], ""
    while not pages or after:
        page = finding.differences(chain[0], other, after=after, limit=limit)
        pages += told(page)
        after = page.after

    assert pages == whole


def test_a_slow_comparison_ends_a_page_early(client, chain, monkeypatch):
    monkeypatch.setattr(comparing, "SECONDS", -1)
    monkeypatch.setattr(comparing, "FOLDERS", 1)

    first = finding.differences(chain[0], chain[2])
    second = finding.differences(chain[0], chain[2], after=first.after)

    assert told(first) + told(second) == [(b"/a/file", "removed"), (b"/b/new", "added")]
    assert Folder.objects.count() > 2


@pytest.mark.attack
def test_a_folder_of_very_many_files_is_compared_in_little_memory(client):
    old, new = (catalogued(client, {b"/big/a": "f"}) for _ in "ab")
    for job in (old, new):
        like = Entry.objects.get(job=job, name=b"a")
        values = {f.attname: getattr(like, f.attname) for f in Entry._meta.fields if f.name != "id"}
        names = (b"%05d" % number for number in range(6000))
        Entry.objects.bulk_create(Entry(**values | {"name": name}) for name in names)
    last = f"5990.{urlsafe_b64encode(b'/big').decode()}"
    tracemalloc.start()

    page = finding.differences(old, new, path=b"/big", after=last, limit=5)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert told(page) == [(b"/big/%05d" % number, "changed") for number in range(5990, 5995)]
    assert page.after.startswith("5995.")
    assert peak < 8 * 2**20  # all entries at once take more than 10


@pytest.mark.parametrize("after", ["x", "1", "1.", "-1.Lw==", "1.%", "9999999999.Lw=="])
def test_an_invalid_place_to_continue_is_refused(chain, after):
    with pytest.raises(Invalid, match="no place to continue from"):
        finding.differences(chain[0], chain[1], after=after)


def test_backups_of_different_clients_are_not_compared(chain):
    other = catalogued(ClientFactory(), {b"/a": "f"})

    with pytest.raises(WrongState, match="not of the same client"):
        finding.differences(chain[0], other)


def test_an_engine_that_cannot_find_says_so(chain):
    full, changed, _ = chain
    with folder_engine():
        for verb in (
            lambda: finding.search(full.client, "x"),
            lambda: finding.history(full.client, b"/x"),
            lambda: finding.differences(full, changed),
        ):
            with pytest.raises(WrongState, match="The engine 'default' cannot "):
                verb()
