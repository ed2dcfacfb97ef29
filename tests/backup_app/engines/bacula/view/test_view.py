"""What a backup holds, by the rows of Bacula's catalog."""

import base64
import hashlib
import stat

import pytest
from django.db import connections
from django.test.utils import CaptureQueriesContext

from backup_app.engines import get_engine
from backup_app.engines.bacula import BaculaEngine
from backup_app.engines.bacula.view.view import View
from backup_app.exceptions import EngineUnreachable, NotFound, WrongState

from ..support.forged_jobs import GONE, execute, schema

pytestmark = pytest.mark.django_db


@pytest.fixture
def client(bacula_client):
    return bacula_client()


def view_of(job):
    return View(get_engine(), job)


def names(job, path, **page):
    return [file.name for file in view_of(job).listing(path, **page).files]


def test_a_folder_lists_folders_first_then_by_the_bytes_of_names(forge):
    job = forge(
        [b"/srv/", b"/srv/b/", b"/srv/b-a/", b"/srv/Z/", b"/srv/z", b"/srv/A", b"/srv/\xe9", b"/x"]
    )

    assert names(job, b"/srv") == [b"Z", b"b", b"b-a", b"A", b"z", b"\xe9"]


def test_folders_above_what_was_backed_up_are_there(forge):
    job = forge([b"/a/b/c/", b"/a/b/c/file", b"/a/b/single"])

    listing = view_of(job).listing(b"/a")

    (file,) = listing.files
    assert (listing.path, file.name, file.path, file.type) == (b"/a", b"b", b"/a/b", "directory")
    assert (file.file_id, file.mode, file.mtime, file.owner) == (0, 0, 0, "")
    assert file.parent_node_id == listing.node_id
    assert names(job, b"/") == [b"a"]
    assert names(job, b"/a/b") == [b"c", b"single"]


def test_a_file_is_described_by_its_lstat(forge):
    values = {
        "mode": stat.S_IFREG | 0o4640, "uid": 1000, "gid": 33, "size": 5_000_000_000,
        "mtime": 1_700_000_000,
    }  # fmt: skip
    job = forge({b"/srv/file": values, b"/srv/": {"mtime": -5, "uid": 7}})

    (file,) = view_of(job).listing(b"/srv").files
    (folder,) = view_of(job).listing(b"/").files

    assert (file.path, file.type, file.node_id, file.target) == (b"/srv/file", "file", None, b"")
    assert (file.mode, file.owner, file.group) == (0o4640, "1000", "33")
    assert (file.size, file.mtime, file.sha256) == (5_000_000_000, 1_700_000_000, None)
    assert (folder.mode, folder.mtime, folder.owner, folder.size) == (0o755, -5, "7", 0)
    assert folder.file_id > 0


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ({"mode": stat.S_IFLNK | 0o777}, "symlink"),
        ({"mode": stat.S_IFIFO}, "fifo"),
        ({"mode": stat.S_IFCHR}, "device"),
        ({"mode": stat.S_IFBLK}, "device"),
        ({"mode": stat.S_IFREG, "link": 3}, "hardlink"),
        ({"mode": stat.S_IFREG}, "file"),
        ({"mode": 0}, "file"),
    ],
)
def test_the_type_is_that_of_the_mode(forge, values, kind):
    job = forge({b"/srv/x": values})

    assert [file.type for file in view_of(job).listing(b"/srv").files] == [kind]


def test_only_a_sha256_is_shown(forge):
    digests = {
        name: hashlib.new(name, b"x").digest() for name in ("md5", "sha1", "sha256", "sha512")
    }
    signatures = {name: base64.b64encode(d).rstrip(b"=") for name, d in digests.items()}
    files = {b"/srv/" + name.encode(): {"md5": s} for name, s in signatures.items()}
    job = forge({**files, b"/srv/bad": {"md5": b"*" * 43}, b"/srv/none": {"md5": b"0"}})

    found = {file.name: file.sha256 for file in view_of(job).listing(b"/srv").files}

    assert found.pop(b"sha256") == digests["sha256"]
    assert set(found.values()) == {None}
    assert len(found) == 5


def test_an_lstat_that_is_damaged_hides_nothing(forge):
    job = forge([b"/srv/a", b"/srv/b", b"/srv/c/", b"/srv/c/file"])
    key = schema().key("convert_from(%s, 'SQL_ASCII')")
    for name, damaged in ((b"a", b"\xff\xfe"), (b"b", b"A A ** " + b"/" * 40 + b" A" * 20)):
        execute(
            "UPDATE file SET lstat = convert_from(%s, 'SQL_ASCII') WHERE jobid = %s"  # noqa: S608
            f" AND {schema().name} = {key}",
            damaged, job.engine_job_id, name,
        )  # fmt: skip
    execute("UPDATE file SET lstat = 'P x ? ' || lstat WHERE jobid = %s", job.engine_job_id)

    assert names(job, b"/srv") == [b"c", b"a", b"b"]
    view = view_of(job)
    (node,) = view.subfolders(view.folder(b"/srv"))
    assert (node.files, node.path) == (1, b"/srv/c")


@pytest.mark.parametrize("name", [b"caf\xe9\nau lait", b"a\\b'c\"%s", b" ", b"\\x41", b"\x01\xff"])
def test_names_of_any_bytes_are_found_again(forge, name):
    folder = b"/" + name
    job = forge([folder + b"/", folder + b"/" + name])

    (top,) = view_of(job).listing(b"/").files
    (file,) = view_of(job).listing(folder).files

    assert (top.name, top.path) == (name, folder)
    assert (file.name, file.path) == (name, folder + b"/" + name)


def test_the_newest_row_of_the_chain_counts(forge):
    full = forge({b"/srv/": {"mtime": 1}, b"/srv/a": {"size": 1}, b"/srv/b": {"size": 1}})
    later = forge({b"/srv/": {"mtime": 2}, b"/srv/a": {"size": 2}}, full)
    newest = forge({b"/srv/c": {"size": 3}, b"/srv/a": {"size": 3}}, later)

    def sizes(job):
        return {file.name: file.size for file in view_of(job).listing(b"/srv").files}

    assert sizes(full) == {b"a": 1, b"b": 1}
    assert sizes(later) == {b"a": 2, b"b": 1}
    assert sizes(newest) == {b"a": 3, b"b": 1, b"c": 3}
    assert [view_of(job).listing(b"/").files[0].mtime for job in (full, newest)] == [1, 2]


def test_the_order_of_a_chain_is_that_of_the_jobs_times(forge):
    full = forge({b"/a": {"size": 1}}, jobtdate=100)
    later = forge({b"/a": {"size": 3}}, full, jobtdate=300)
    between = forge({b"/a": {"size": 2}}, later, jobtdate=200)

    assert [file.size for file in view_of(between).listing(b"/").files] == [3]


def test_what_was_deleted_is_hidden(forge):
    full = forge([b"/srv/", b"/srv/a", b"/srv/b", b"/srv/sub/", b"/srv/sub/x"])
    later = forge({b"/srv/a": GONE, b"/srv/sub/": GONE, b"/srv/sub/x": GONE}, full)
    again = forge([b"/srv/a", b"/srv/sub/"], later)

    assert names(full, b"/srv") == [b"sub", b"a", b"b"]
    assert names(later, b"/srv") == [b"b"]
    assert names(again, b"/srv") == [b"sub", b"a", b"b"]
    assert names(again, b"/srv/sub") == []
    with pytest.raises(NotFound, match="/srv/sub"):
        view_of(later).listing(b"/srv/sub")
    view = view_of(later)
    assert view.subfolders(view.folder(b"/srv")) == []
    assert not view.subfolders(view.folder(b"/"))[0].has_children


def test_a_file_that_became_a_folder_is_one(forge):
    full = forge([b"/srv/", b"/srv/x"])
    later = forge({b"/srv/x": GONE, b"/srv/x/": {}, b"/srv/x/y": {}}, full)

    (found,) = view_of(later).listing(b"/srv").files

    assert (found.type, found.name) == ("directory", b"x")


def test_pages_make_up_the_whole(forge):
    folders = [b"/srv/d%d/" % n for n in range(3)]
    files = [b"/srv/f%d" % n for n in range(4)]
    full = forge([*folders, *files])
    job = forge([b"/srv/f1", b"/srv/f4"], full)
    whole = view_of(job).listing(b"/srv")

    for size in (1, 2, 3, 5):
        pages = [view_of(job).listing(b"/srv", offset=n, limit=size) for n in range(0, 8, size)]
        assert [file for page in pages for file in page.files] == whole.files
        assert {page.total for page in pages} == {8}
    behind = view_of(job).listing(b"/srv", offset=99, limit=2)
    assert (behind.files, behind.total) == ([], 8)
    assert view_of(job).listing(b"/srv", offset=6).files == whole.files[6:]
    assert view_of(job).listing(b"/srv", limit=0).total == 8


def test_what_was_backed_up_twice_in_a_job_is_listed_once(forge):
    job = forge([b"/srv/", b"/srv/a"])
    execute(
        f"INSERT INTO file (fileindex, jobid, pathid, {schema().name}, lstat, md5)"  # noqa: S608
        f" SELECT fileindex + 5, jobid, pathid, {schema().name}, lstat, md5 FROM file"
        " WHERE jobid = %s",
        job.engine_job_id,
    )

    listing = view_of(job).listing(b"/srv")

    assert (len(listing.files), listing.total) == (1, 1)
    assert names(job, b"/") == [b"srv"]
    view = view_of(job)
    assert [node.files for node in view.subfolders(view.folder(b"/"))] == [1]


def test_subfolders_tell_what_lies_directly_in_them(forge):
    full = forge(
        {
            b"/srv/a/": {}, b"/srv/a/one": {"size": 5}, b"/srv/a/two": {"size": 2**40},
            b"/srv/a/deep/": {}, b"/srv/a/deep/file": {"size": 1000}, b"/srv/b/": {"mtime": 77},
            b"/srv/dump": {"size": -1}, b"/srv/": {},
        }
    )  # fmt: skip
    job = forge(
        {b"/srv/a/one": {"size": 6}, b"/srv/a/two": GONE, b"/srv/a/new": {"size": -1}}, full
    )
    view = view_of(job)

    a, b = view.subfolders(view.folder(b"/srv"))
    (srv,) = view.subfolders(view.folder(b"/"))

    assert (a.name, a.path, a.files, a.size, a.has_children) == (b"a", b"/srv/a", 2, 6, True)
    assert (b.files, b.size, b.has_children, b.mtime) == (0, 0, False, 77)
    assert (srv.files, srv.size, srv.has_children) == (1, 0, True)
    assert view.subfolders(view.folder(b"/srv/b")) == []
    full_view = view_of(full)
    assert full_view.subfolders(full_view.folder(b"/srv"))[0].size == 2**40 + 5


def test_an_id_of_another_backup_is_not_found(forge):
    one, other = forge([b"/one/"]), forge([b"/other/"])
    node = view_of(other).listing(b"/other").node_id

    for node_id in (node, 0, -1, 2**31, 2**63, 2**64):
        with pytest.raises(NotFound, match=str(node_id)):
            view_of(one).node(node_id)


@pytest.mark.parametrize(
    "path", [b"/none", b"/srv/file", b"/srv/../srv", b"/srv\0", b"/srv/file/x"]
)
def test_an_unknown_folder_is_not_found(forge, path):
    job = forge([b"/srv/", b"/srv/file"])

    with pytest.raises(NotFound):
        view_of(job).listing(path)


@pytest.mark.parametrize("path", [b"/srv/", b"//srv", b"/./srv/."])
def test_a_folder_can_be_spelled_in_other_ways(forge, path):
    job = forge([b"/srv/", b"/srv/file"])

    assert view_of(job).listing(path).path == b"/srv"


# --- Windows -----------------------------------------------------------------------------------


def test_the_root_of_a_windows_machine_lists_its_drives(forge):
    job = forge([b"C:/", b"C:/Users/", b"C:/Users/Ann/", b"C:/Users/Ann/a.txt", b"D:/data/x.pst"])
    view = view_of(job)

    root = view.listing(b"/")

    assert [(file.name, file.path) for file in root.files] == [(b"C:", b"C:/"), (b"D:", b"D:/")]
    assert root.path == b"/"
    assert [node.has_children for node in view.subfolders(view.folder(b"/"))] == [True, True]
    for path in (b"/C:/Users/Ann", b"C:/Users/Ann/"):
        listing = view.listing(path)
        assert listing.path == b"C:/Users/Ann"
        assert [file.path for file in listing.files] == [b"C:/Users/Ann/a.txt"]
    assert view.listing(b"/C:").path == b"C:/"


def test_dumps_of_a_windows_machine_stand_beside_its_drives(forge):
    job = forge({b"C:/x": {}, b"/.databases/mysql/shop.sql": {"size": -1}})
    only_files = forge([b"C:/x"])

    root = view_of(job).listing(b"/")
    (dump,) = view_of(job).listing(b"/.databases/mysql").files

    assert [file.path for file in root.files] == [b"/.databases", b"C:/"]
    assert {file.parent_node_id for file in root.files} == {root.node_id}
    assert (dump.path, dump.size) == (b"/.databases/mysql/shop.sql", 0)
    assert view_of(only_files).listing(b"/").node_id == root.node_id


def test_a_folder_that_is_called_as_a_drive_is_none(forge):
    job = forge([b"/C:/", b"/C:/x"])

    listing = view_of(job).listing(b"/C:")

    assert (listing.path, [file.path for file in listing.files]) == (b"/C:", [b"/C:/x"])


def test_a_folder_takes_as_many_queries_whatever_is_in_it(forge):
    small = forge([b"/few/a", b"/few/b/"])
    large = forge([b"/many/a%d" % n for n in range(30)] + [b"/many/b%d/" % n for n in range(30)])

    def asked(job, path, **page):
        with CaptureQueriesContext(connections["bacula"]) as queries:
            view_of(job).listing(path, **page)
            view = view_of(job)
            view.subfolders(view.folder(path))
        return len(queries)

    assert asked(small, b"/few") == asked(large, b"/many") <= 9
    assert asked(small, b"/few", limit=10) == asked(large, b"/many", limit=50)


# --- Folders above what was backed up ------------------------------------------------------------


def without_cache(job):
    execute("UPDATE job SET hascache = 0 WHERE jobid = %s", job.engine_job_id)
    execute("DELETE FROM pathvisibility WHERE jobid = %s", job.engine_job_id)
    return job


def test_the_director_finds_folders_once_where_it_has_not_yet(bacula, forge):
    full = forge([b"/adopted/srv/x"])
    job = forge([b"/adopted/srv/y"], full)
    without_cache(full)
    nobody = BaculaEngine(**bacula.options(port=1))

    with pytest.raises(EngineUnreachable):
        View(nobody, job).listing(b"/adopted/srv")
    assert names(job, b"/adopted/srv") == [b"x", b"y"]

    assert [file.name for file in View(nobody, job).listing(b"/adopted").files] == [b"srv"]


# --- What cannot be read -------------------------------------------------------------------------


@pytest.mark.parametrize("values", [{"status": "failed"}, {"type": "restore", "level": None}])
def test_only_successful_backups_have_a_view(forge, values):
    job = forge([b"/srv/"])
    for name, value in values.items():
        setattr(job, name, value)

    with pytest.raises(WrongState, match=str(job.pk)):
        view_of(job)


def test_a_pruned_backup_cannot_be_read(forge):
    full = forge([b"/srv/"])
    later = forge([b"/srv/x"], full)
    execute("UPDATE job SET purgedfiles = 1 WHERE jobid = %s", full.engine_job_id)

    for job in (full, later):
        with pytest.raises(WrongState, match=f"backup {job.pk} are no longer all in Bacula"):
            view_of(job).listing(b"/")


def test_a_backup_that_bacula_forgot_cannot_be_read(forge):
    full = forge([b"/srv/"])
    later = forge([b"/srv/x"], full)
    execute("DELETE FROM job WHERE jobid = %s", full.engine_job_id)

    with pytest.raises(WrongState, match=f"backup {later.pk} are no longer"):
        view_of(later).listing(b"/")
    later.source_links.all().delete()
    with pytest.raises(WrongState, match=f"backup {later.pk} are no longer"):
        view_of(later).listing(b"/")


def test_a_backup_that_leaves_files_to_a_base_job_cannot_be_read(forge):
    job = forge([b"/srv/"], hasbase=1)

    with pytest.raises(WrongState, match=f"Backup {job.pk} depends on a base job"):
        view_of(job).listing(b"/")
