"""Names, versions and differences over all backups of a client, by the rows of the catalog."""

import pytest
from django.db import connections
from django.test.utils import CaptureQueriesContext

from backup_app.engines import get_engine
from backup_app.engines.bacula.catalog import finding as queries
from backup_app.engines.bacula.view import name_search
from backup_app.engines.shared import difference_pages
from backup_app.exceptions import Invalid, NotFound, TooLarge, WrongState
from backup_app.services.files import finding

from ....support.factories import ClientFactory, FilesetFactory
from ..support.forged_jobs import GONE, execute

pytestmark = pytest.mark.django_db


@pytest.fixture
def client(bacula_client):
    return bacula_client()


def search(client, text, page=0, **size):
    found = finding.search(client, text, page, **size)
    return [history.path for history in found.found]


def versions(client, path):
    found = finding.history(client, path)
    return [(v.file.size, v.oldest, v.newest, v.backups) for v in found.versions], found.gone_since


def changes(old, new, path=b"/", **page):
    found = finding.differences(old, new, path=path, **page)
    return [(row.path, row.change) for row in found.rows]


# --- Names -----------------------------------------------------------------------------------


def test_a_part_of_a_name_finds_files_and_folders(forge, client):
    forge([b"/find/Rep_ort/", b"/find/Rep_ort/x", b"/find/my-rep_ort.txt", b"/find/repxort"])

    assert search(client, "rep_ort") == [b"/find/Rep_ort", b"/find/my-rep_ort.txt"]
    assert search(client, "REP_ORT.") == [b"/find/my-rep_ort.txt"]


def test_a_pattern_finds_whole_names_and_ends_of_paths(forge, client):
    forge([b"/find/pat/a.odt", b"/find/pat/a.odt.bak", b"/find/tap/a.odt", b"/find/pat/ab.odt"])

    assert search(client, "*.odt") == [b"/find/pat/a.odt", b"/find/pat/ab.odt", b"/find/tap/a.odt"]
    assert search(client, "pat/?.odt") == [b"/find/pat/a.odt"]
    assert search(client, "[!a]*.odt") == []


def test_a_search_that_the_catalog_does_not_finish_asks_for_more_letters(
    forge, client, monkeypatch
):
    forge([b"/slow/file"])
    assert search(client, "file") == [b"/slow/file"]
    execute("SET statement_timeout = '100ms'")
    monkeypatch.setattr(queries, "FOLDERS", "SELECT 1 FROM pg_sleep(3)")

    with pytest.raises(TooLarge, match="seconds: use more letters"):
        search(client, "file")
    execute("SET statement_timeout = '30s'")


@pytest.mark.parametrize("text", ["ÜBUNG", "übung", "?bung.txt", "n"])
def test_names_may_have_any_letters(forge, client, text):
    names = ["übung.txt".encode(), "Übung.txt".encode()]
    forge([b"/letters/" + name for name in names] + [b"/letters/\xffx"])

    assert search(client, text) == [b"/letters/" + name for name in sorted(names)]


def test_what_is_gone_is_found_and_what_others_have_is_not(forge, client):
    full = forge([b"/gone/invoice", b"/gone/other"])
    forge({b"/gone/invoice": GONE}, full)
    stranger = ClientFactory(account=client.account, zone=client.zone, name="stranger")

    assert search(client, "invoice") == [b"/gone/invoice"]
    assert search(stranger, "invoice") == []


def test_backups_whose_files_bacula_has_pruned_are_left_out(forge, client):
    job = forge([b"/pruned/invoice"])
    execute("UPDATE job SET purgedfiles = 1 WHERE jobid = %s", job.engine_job_id)

    assert search(client, "invoice") == []
    assert versions(client, b"/pruned/invoice") == ([], None)


def test_pages_tell_how_many_there_are(forge, client):
    forge([b"/pages/note%d" % n for n in range(5)])

    found = finding.search(client, "note", 1, page_size=2)

    assert [each.path for each in found.found] == [b"/pages/note2", b"/pages/note3"]
    assert (found.total, found.is_complete) == (5, True)


@pytest.mark.parametrize(
    ("limit", "value"), [("MOST", 2), ("CANDIDATES", 2), ("SECONDS", -1), ("AT_ONCE", 1)]
)
def test_a_search_that_reaches_a_limit_says_so(forge, client, monkeypatch, limit, value):
    for number in range(3):
        forge([b"/limit/paper%d" % number])
    monkeypatch.setattr(name_search, limit, value)

    found = finding.search(client, "paper")

    assert found.is_complete == (limit == "AT_ONCE")
    assert len(found.found) == {"MOST": 2, "CANDIDATES": 2, "SECONDS": 0, "AT_ONCE": 3}[limit]


@pytest.mark.parametrize("text", ["", "/", "a\0b", "x" * 201])
def test_what_cannot_be_searched_for_is_named(client, text):
    with pytest.raises(Invalid) as refused:
        finding.search(client, text)

    assert list(refused.value.fields) == ["name"]


def test_a_pattern_cannot_leave_its_place_in_the_query(forge, client):
    forge([b"/quotes/it's", b"/quotes/50%", b"/quotes/a!b"])

    assert search(client, "it's") == [b"/quotes/it's"]
    assert search(client, "0%") == [b"/quotes/50%"]
    assert search(client, "a!b") == [b"/quotes/a!b"]
    assert search(client, "x' OR ''='") == []


def test_a_search_takes_as_many_queries_for_many_backups(forge, client):
    def count():
        with CaptureQueriesContext(connections["bacula"]) as queries:
            assert search(client, "counted") == [b"/count/counted"]
        return len(queries)

    forge([b"/count/counted"])
    one = count()
    for _ in range(2):
        forge([b"/count/counted"])
    assert count() == one


# --- Versions ---------------------------------------------------------------------------------


def test_versions_are_told_with_the_backups_that_have_them(forge, client):
    first = forge({b"/v/file": {"size": 1}, b"/v/": {}})
    same = forge([b"/v/new"], first)
    changed = forge({b"/v/file": {"size": 2}}, same)
    gone = forge({b"/v/file": GONE}, changed)
    forge([b"/v/newer"], gone)
    client.jobs.update(fileset=FilesetFactory(account=client.account))

    found = [(2, changed, changed, 1), (1, first, same, 2)]
    assert versions(client, b"/v/file") == (found, gone)
    (folder,) = finding.history(client, b"/v").versions
    assert (folder.file.type, folder.backups) == ("directory", 5)


def test_a_version_can_be_restored_by_its_ids(forge, client):
    full = forge([b"/ids/file", b"/ids/"])
    forge([b"/ids/other"], full)

    (file,), (folder,) = (finding.history(client, p).versions for p in (b"/ids/file", b"/ids"))

    chosen = get_engine().select_ids(file.newest, [folder.file.node_id], [file.file.file_id])
    assert [path for _, path in (*chosen.nodes, *chosen.files)] == [b"/ids", b"/ids/file"]
    listing = get_engine().list_folder(file.newest, b"/ids")
    assert file.file == next(each for each in listing.files if each.name == b"file")


def test_a_file_that_became_a_folder_has_both_versions(forge, client):
    file = forge([b"/turn/thing"])
    folder = forge({b"/turn/thing": GONE, b"/turn/thing/": {}}, file)

    found = finding.history(client, b"/turn/thing").versions

    assert [(v.file.type, v.newest) for v in found] == [("directory", folder), ("file", file)]


def test_adopted_backups_are_ordered_by_when_bacula_made_them(forge, client):
    old = forge({b"/order/file": {"size": 1}})
    new = forge({b"/order/file": {"size": 2}})
    type(old).objects.filter(pk=new.pk).update(engine_job_id=None)
    numbers = old.engine_job_id, new.engine_job_id
    type(old).objects.filter(pk=old.pk).update(engine_job_id=numbers[1])
    type(old).objects.filter(pk=new.pk).update(engine_job_id=numbers[0])

    assert [newest for _, _, newest, _ in versions(client, b"/order/file")[0]] == [old, new]


@pytest.mark.parametrize("path", [b"/a/../b", b"/a\0b"])
def test_a_path_that_cannot_be_has_no_versions(client, path):
    with pytest.raises(NotFound):
        finding.history(client, path)


def test_a_path_on_windows_is_found_as_it_is_shown(forge, client):
    job = forge([b"C:/Users/file"])

    assert search(client, "file") == [b"C:/Users/file"]
    assert versions(client, b"C:/Users/file")[0] == versions(client, b"/C:/Users/file")[0]
    assert versions(client, b"/C:/Users/file")[0] == [(0, job, job, 1)]


# --- Differences -------------------------------------------------------------------------------


@pytest.fixture
def two(forge):
    files = {b"/d/": {}, b"/d/a": {"size": 1}, b"/d/b": {}, b"/d/sub/": {}, b"/d/sub/c": {}}
    old = forge(files)
    changed = {b"/d/": {"mtime": 5}, b"/d/a": {"size": 2}, b"/d/b": GONE, b"/d/sub/": {"uid": 7}}
    return old, forge(
        {**changed, b"/d/sub/new": {}, b"/other/x": {}, b"/d/sub/c": {"mtime": 0}}, old
    )


def test_differences_are_told_by_folder(two):
    assert changes(*two) == [
        (b"/d/a", "changed"),
        (b"/d/b", "removed"),
        (b"/d/sub", "changed"),
        (b"/d/sub/new", "added"),
        (b"/other/x", "added"),
    ]
    assert changes(*two, path=b"/d/sub") == [(b"/d/sub", "changed"), (b"/d/sub/new", "added")]
    assert changes(*reversed(two), path=b"/other") == [(b"/other/x", "removed")]
    assert changes(two[0], two[0]) == []


@pytest.mark.parametrize("folders", [1, 2, 200])
def test_pages_of_differences_are_all_of_them(two, monkeypatch, folders):
    monkeypatch.setattr(difference_pages, "FOLDERS", folders)
    monkeypatch.setattr("backup_app.engines.bacula.view.differences.MOST", folders)
    found, after = [], ""

    while True:
        page = finding.differences(*two, after=after, limit=2)
        found += [(row.path, row.change) for row in page.rows]
        after = page.after
        if not after:
            break

    assert found == changes(*two, limit=100)


@pytest.mark.parametrize("after", ["x", "1.", "-1.YQ==", "0.AGE=", "0.%"])
def test_no_place_to_continue_from_is_refused(two, after):
    with pytest.raises(Invalid):
        finding.differences(*two, after=after)


def test_a_pruned_backup_cannot_be_compared(two):
    execute("UPDATE job SET purgedfiles = 1 WHERE jobid = %s", two[1].engine_job_id)

    with pytest.raises(WrongState, match="no longer all in Bacula's catalog"):
        changes(*two)
