"""Finding what is to be restored, by paths and by IDs."""

import pytest
from django.db import connections
from django.test.utils import CaptureQueriesContext

from backup_app.engines import get_engine
from backup_app.engines.values import Selection
from backup_app.exceptions import NotFound

from ..support.forged_jobs import GONE, execute, many_names, schema

pytestmark = pytest.mark.django_db


@pytest.fixture
def client(bacula_client):
    return bacula_client()


@pytest.fixture
def job(forge):
    """A chain: /srv/a is new since the full, /srv/gone has gone, /srv/sub was there."""
    full = forge(
        [
            b"/srv/",
            b"/srv/a",
            b"/srv/gone",
            b"/srv/sub/",
            b"/srv/sub/x",
            b"/srv/was/",
            b"/srv/was/y",
        ]
    )
    return forge({b"/srv/a": {}, b"/srv/gone": GONE, b"/srv/was/": GONE, b"/srv/was/y": GONE}, full)


def ids_of(job, folder):
    """Return (FileId, PathId) by name of what lies in a folder."""
    files = get_engine().list_folder(job, folder).files
    return {file.name: (file.file_id, file.node_id) for file in files}


def test_paths_give_folders_and_files(job):
    srv, sub = ids_of(job, b"/srv"), ids_of(job, b"/srv/sub")

    found = get_engine().select_paths(job, [b"/srv/sub", b"/srv/a", b"/srv/sub/x"])

    assert found == Selection(
        nodes=[(srv[b"sub"][1], b"/srv/sub")],
        files=[(srv[b"a"][0], b"/srv/a"), (sub[b"x"][0], b"/srv/sub/x")],
    )


def test_paths_are_normalised_and_each_is_there_once(job):
    found = get_engine().select_paths(job, [b"/srv/sub/", b"//srv/./sub", b"/srv/sub", b"/srv/a"])

    assert [path for _, path in found.nodes] == [b"/srv/sub"]
    assert [path for _, path in found.files] == [b"/srv/a"]


@pytest.mark.parametrize(
    "path",
    [
        b"/srv/gone", b"/srv/was", b"/srv/was/y", b"/none", b"/none/x", b"/srv/a/x", b"/srv/A",
        b"/srv/\xff\n", b"/srv/..", b"/srv/a\0",
    ],
)  # fmt: skip
def test_a_path_that_the_view_has_not_is_named(job, path):
    with pytest.raises(NotFound) as refusal:
        get_engine().select_paths(job, [b"/srv/a", path, b"/neither"])

    assert path.decode(errors="replace") in str(refusal.value)


def test_ids_give_what_their_paths_give(job):
    engine = get_engine()
    by_path = engine.select_paths(job, [b"/srv/sub", b"/srv", b"/srv/sub/x", b"/srv/a"])

    by_id = engine.select_ids(job, [n for n, _ in by_path.nodes], [f for f, _ in by_path.files])

    assert by_id == by_path


def test_the_file_id_of_a_folder_gives_that_folder(job):
    file_id, node_id = ids_of(job, b"/srv")[b"sub"]

    found = get_engine().select_ids(job, [node_id], [file_id])

    assert found == Selection(nodes=[(node_id, b"/srv/sub")], files=[])


def test_an_id_that_the_view_has_not_is_named(forge, job):
    full = job.source_links.first().source
    other = forge([b"/other/", b"/other/file"])
    node, file = get_engine().list_folder(other, b"/other").node_id, ids_of(other, b"/other")
    was, old = ids_of(full, b"/srv")[b"was"], ids_of(full, b"/srv")[b"a"][0]
    strange = [0, -1, 2**31, 2**62, 2**63, 2**64, 2**200]

    for nodes, files in (
        *(([number], []) for number in [node, was[1], *strange]),
        *(([], [number]) for number in [file[b"file"][0], was[0], old, *strange]),
    ):
        with pytest.raises(NotFound, match=rf"ID {[*nodes, *files][0]}\."):
            get_engine().select_ids(job, nodes, files)


def test_nothing_selects_nothing(job):
    assert get_engine().select_paths(job, []) == Selection(nodes=[], files=[])
    assert get_engine().select_ids(job, [], []) == Selection(nodes=[], files=[])


@pytest.mark.parametrize("name", [b"caf\xe9\nau lait", b"a\\b'\"{},%s", b"NULL", b" "])
def test_names_of_any_bytes_can_be_chosen(forge, name):
    job = forge([b"/" + name + b"/", b"/" + name + b"/" + name])

    found = get_engine().select_paths(job, [b"/" + name, b"/" + name + b"/" + name])

    assert [path for _, path in found.nodes] == [b"/" + name]
    assert [path for _, path in found.files] == [b"/" + name + b"/" + name]


def test_instead_of_the_root_what_bacula_can_restore_is_chosen(forge):
    engine = get_engine()
    unix = forge([b"/srv/", b"/srv/x"])
    windows = forge([b"C:/x", b"D:/y", b"/.databases/mysql/shop.sql"])

    def chosen(job):
        by_path = engine.select_paths(job, [b"/"])
        assert engine.select_ids(job, [engine.list_folder(job, b"/").node_id], []) == by_path
        assert engine.select_ids(job, [node for node, _ in by_path.nodes], []) == by_path
        return [path for _, path in by_path.nodes]

    assert chosen(unix) == [b"/"]
    assert chosen(windows) == [b"/", b"C:/", b"D:/"]
    ((number, _),) = engine.select_paths(unix, [b"/"]).nodes
    assert execute("SELECT path FROM path WHERE pathid = %s", number) == [("/",)]


@pytest.mark.parametrize(
    ("path", "kind", "found"),
    [
        (b"/C:/Users/x", "files", b"C:/Users/x"),
        (b"C:/Users", "nodes", b"C:/Users"),
        (b"/D:", "nodes", b"D:/"),
        (b"/D:/y", "files", b"D:/y"),
        (b"/E:/z", "files", b"/E:/z"),
        (b"c:/Users", "nodes", b"C:/Users"),
        (b"/d:/y", "files", b"D:/y"),
        (b"f:/both", "files", b"f:/both"),
        (b"F:/both", "files", b"F:/both"),
        (b"f:/", "nodes", b"f:/"),
    ],
)
def test_paths_of_windows_machines_are_found(forge, path, kind, found):
    job = forge([b"C:/Users/", b"C:/Users/x", b"D:/y", b"/E:/z", b"E:/z", b"F:/both", b"f:/both"])

    chosen = get_engine().select_paths(job, [path])

    assert [shown for _, shown in getattr(chosen, kind)] == [found]
    assert len(chosen.nodes) + len(chosen.files) == 1


def test_two_spellings_of_a_drive_mean_one_thing(forge):
    job = forge([b"C:/Users/", b"C:/x"])

    found = get_engine().select_paths(job, [b"c:/Users", b"C:/Users", b"c:/x", b"/C:/x"])

    assert [path for _, path in found.nodes] == [b"C:/Users"]
    assert [path for _, path in found.files] == [b"C:/x"]


def test_ten_thousand_paths_take_as_many_queries_as_one(forge):
    full = forge([b"/srv/", b"/srv/one", b"/srv/sub/"])
    execute(
        f"INSERT INTO file (fileindex, jobid, pathid, {schema().name}, lstat, md5) SELECT 1, %s,"  # noqa: S608
        f" (SELECT pathid FROM path WHERE path = '/srv/'), key, 'A', '0' FROM {many_names(10_000)}",
        full.engine_job_id,
    )
    job = forge([b"/srv/many7"], full)
    many = [b"/srv/many%d" % number for number in range(1, 10_001)]

    def asked(ask, *values):
        with CaptureQueriesContext(connections["bacula"]) as queries:
            found = ask(job, *values)
        return len(queries), found

    engine = get_engine()
    few, _ = asked(engine.select_paths, [b"/srv/one", b"/srv/sub"])
    by_path, found = asked(engine.select_paths, [*many, b"/srv/sub"])
    by_id, again = asked(engine.select_ids, [found.nodes[0][0]], [file for file, _ in found.files])

    assert by_path == few <= 5
    assert by_id <= 3
    assert [path for _, path in found.files] == many
    assert again == found
