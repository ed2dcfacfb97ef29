"""The search for names over all backups of a client."""

import datetime as dt

import pytest
from django.db import connection
from django.utils import timezone

from backup_app.engines.archive import ArchiveEngine
from backup_app.engines.archive.catalog import names
from backup_app.engines.shared.name_pattern import NamePattern
from backup_app.exceptions import Invalid, TooLarge
from backup_app.models import FolderNames, Job, Volume
from backup_app.services.files import finding

from ....support.catalog_rows import catalogued
from ....support.factories import ClientFactory

pytestmark = pytest.mark.django_db
engine = ArchiveEngine()


@pytest.fixture
def client():
    return ClientFactory()


def indexed(client, entries, base=None):
    job = catalogued(client, entries, base)
    Volume.objects.create(job=job, path="x", size=1, tar_size=1, sha256=b"")
    engine.index_names(job)
    return job


def found(client, text, **options):
    return [each.path for each in finding.search(client, text, **options).found]


def test_a_part_of_a_name_is_found_in_any_case(client):
    indexed(client, {b"/a/Budget 2026.ods": "f", b"/b/budgets/x": "f", b"/c": "f"})

    assert found(client, "bUdGeT") == [b"/a/Budget 2026.ods", b"/b/budgets"]
    assert found(client, "2026.o") == [b"/a/Budget 2026.ods"]
    assert found(client, "nowhere") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("*.ods", [b"/a/one.ods", b"/b/two.ods"]),
        ("one*", [b"/a/one.ods"]),
        ("?wo.*", [b"/b/two.ods"]),
        ("[ot]*.ods", [b"/a/one.ods", b"/b/two.ods"]),
        ("ne.ods*", []),
        ("b/two", [b"/b/two.ods"]),
        ("/b/*", [b"/b/two.ods"]),
        ("b/*.ods", [b"/b/two.ods"]),
        ("100%", [b"/c/100%_!"]),
        ("%_!", [b"/c/100%_!"]),
        ("_", [b"/c/100%_!"]),
    ],
)
def test_patterns(client, text, expected):
    indexed(client, {b"/a/one.ods": "f", b"/b/two.ods": "f", b"/c/100%_!": "f"})

    assert found(client, text) == expected


@pytest.mark.parametrize("text", ["", "  ", "/", "x" * 201, "a\0b"])
def test_what_cannot_be_searched_for_is_refused(client, text):
    with pytest.raises(Invalid):
        finding.search(client, text)


def test_names_that_are_no_utf_8_are_found_and_kept(client):
    indexed(client, {b"/a/caf\xe9 \xf0\x9f\x98\x80.txt": "f", "/a/café.txt".encode(): "f"})

    assert found(client, ".txt") == ["/a/café.txt".encode(), b"/a/caf\xe9 \xf0\x9f\x98\x80.txt"]


def test_a_deleted_file_is_found_with_the_backup_that_has_it_still(client):
    full = indexed(client, {b"/a/lost": "f"})
    later = indexed(client, {b"/a/lost": "-"}, full)
    indexed(client, {b"/a/new": "f"}, later)

    (history,) = finding.search(client, "lost").found

    assert [version.newest for version in history.versions] == [full]
    assert history.gone_since == later


def test_other_clients_are_not_searched(client):
    indexed(ClientFactory(), {b"/a/secret": "f"})

    assert found(client, "secret") == []


def test_a_name_is_stored_once_for_all_backups(client):
    full = indexed(client, {b"/a/file": "f"})
    indexed(client, {b"/a/file": "f"}, full)
    again = indexed(client, {b"/a/file": "f"})
    engine.index_names(again)

    assert sorted(FolderNames.objects.values_list("names", flat=True)) == ["/a/", "/file/"]


def test_results_have_pages(client, monkeypatch):
    indexed(client, {f"/a/file{number}".encode(): "f" for number in range(5)})

    assert found(client, "file", page=1, page_size=2) == [b"/a/file2", b"/a/file3"]
    monkeypatch.setattr(names, "MOST", 3)
    most = finding.search(client, "file", page=1, page_size=2)
    assert ([each.path for each in most.found], most.total) == ([b"/a/file2"], 3)
    assert not most.is_complete


def test_long_folders_are_lists_of_limited_length(client):
    indexed(client, {f"/a/{'n' * 100}{number}".encode(): "f" for number in range(40)})

    lengths = [len(row) for row in FolderNames.objects.values_list("names", flat=True)]
    assert len(lengths) == 5
    assert max(lengths) < names.LENGTH + 10
    assert len(found(client, "n39")) == 1


def test_backups_whose_names_are_missing_are_counted_and_due_later(client):
    job = catalogued(client, {b"/a/file": "f"}, ended=timezone.now())
    Volume.objects.create(job=job, path="x", size=1, tar_size=1, sha256=b"")

    assert finding.search(client, "file").unindexed == 1
    assert finding.unindexed_jobs() == []
    Job.objects.update(ended=timezone.now() - dt.timedelta(hours=1))
    assert finding.unindexed_jobs() == [job.pk]
    finding.try_index(job)
    assert finding.unindexed_jobs() == []
    assert found(client, "file") == [b"/a/file"]


@pytest.mark.parametrize("number", [1, 3])
def test_the_queries_do_not_grow(client, number, django_assert_num_queries):
    indexed(client, {f"/a{n}/file{n}".encode(): "f" for n in range(number)})
    savepoints = 2
    extra = connection.vendor == "postgresql"

    with django_assert_num_queries(5 + savepoints + extra):
        assert len(found(client, "file")) == number


def test_like_is_no_narrower_than_the_pattern():
    for text in ("a", "*a", "a[b]c", "a[", "x/y*", "[!a]b", "[]]"):
        assert NamePattern(text).like.count("%") >= 2


def test_a_search_that_compares_names_for_too_long_ends(client, monkeypatch):
    indexed(client, {b"/abc": "f"})
    monkeypatch.setattr(names, "SECONDS", 0)

    with pytest.raises(TooLarge, match="more letters"):
        found(client, "[z][z][z]*")
