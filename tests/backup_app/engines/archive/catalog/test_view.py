"""The views of backups: what a full restore at each would give."""

import pytest
from django.db import connection

from backup_app.engines.archive import ArchiveEngine
from backup_app.engines.archive.catalog.view import View
from backup_app.engines.values import File, Node
from backup_app.exceptions import NotFound, WrongState

from ....support.catalog_rows import SECOND, catalogued, folder_of
from ....support.factories import ClientFactory, JobFactory

pytestmark = pytest.mark.django_db

engine = ArchiveEngine()


@pytest.fixture
def client():
    return ClientFactory()


def names(job, path=b"/srv", **options):
    return [file.name for file in engine.list_folder(job, path, **options).files]


def test_a_listing_has_folders_first_then_names_by_their_bytes(client):
    job = catalogued(
        client,
        {b"/srv/b": "f", b"/srv/\xff": "f", b"/srv/B": "f", b"/srv/z": "d", b"/srv/a\n": "d"},
    )

    assert names(job) == [b"a\n", b"z", b"B", b"b", b"\xff"]


def test_a_file_has_what_the_catalog_knows(client):
    job = catalogued(client, {b"/srv/a": ("f", 7)})
    folder = folder_of(client, b"/srv")

    listing = engine.list_folder(job, b"/srv")

    assert (listing.node_id, listing.path, listing.total) == (folder.pk, b"/srv", 1)
    assert listing.files == [
        File(
            file_id=job.entries.get(name=b"a").pk,
            node_id=None,
            parent_node_id=folder.pk,
            name=b"a",
            path=b"/srv/a",
            type="file",
            size=7,
            mtime=job.pk,
            mode=0o644,
            owner="root",
            group="staff",
            target=b"",
            sha256=bytes(32),
        )
    ]


@pytest.mark.parametrize(
    ("kind", "shown"),
    [
        ("f", "file"),
        ("d", "directory"),
        ("l", "symlink"),
        ("h", "hardlink"),
        ("p", "fifo"),
        ("b", "device"),
    ],
)
def test_each_kind_has_its_word(client, kind, shown):
    job = catalogued(client, {b"/srv/a": kind})

    assert [file.type for file in engine.list_folder(job, b"/srv").files] == [shown]


def test_the_root_is_not_in_itself(client):
    job = catalogued(client, {b"/srv/a": "f"})

    listing = engine.list_folder(job, b"/")

    assert [(file.path, file.node_id) for file in listing.files] == [
        (b"/srv", folder_of(client, b"/srv").pk)
    ]
    assert (listing.path, listing.total) == (b"/", 1)


@pytest.mark.parametrize(
    ("offset", "limit", "expected"),
    [
        (0, None, [b"a", b"b", b"c"]),
        (0, 2, [b"a", b"b"]),
        (2, 2, [b"c"]),
        (1, 2, [b"b", b"c"]),
        (3, 2, []),
        (9, 2, []),
        (9, None, []),
        (0, 0, []),
    ],
)
def test_a_page_of_a_listing_knows_the_total(client, offset, limit, expected):
    job = catalogued(client, {b"/srv/a": "f", b"/srv/b": "f", b"/srv/c": "f"})

    listing = engine.list_folder(job, b"/srv", offset=offset, limit=limit)

    assert [file.name for file in listing.files] == expected
    assert listing.total == 3


def test_an_empty_folder_has_an_empty_listing(client):
    job = catalogued(client, {b"/srv": "d"})

    assert (names(job), engine.list_folder(job, b"/srv", limit=5).total) == ([], 0)


@pytest.mark.parametrize("path", [b"/srv/", b"//srv", b"/./srv/.", b"srv", b"/srv//"])
def test_a_path_is_normalised(client, path):
    job = catalogued(client, {b"/srv/a": "f"})

    listing = engine.list_folder(job, path)

    assert (listing.path, [file.path for file in listing.files]) == (b"/srv", [b"/srv/a"])


@pytest.mark.parametrize("path", [b"", b"/", b"//", b"/."])
def test_no_path_is_the_root(client, path):
    job = catalogued(client, {b"/srv/a": "f"})

    assert engine.list_folder(job, path).path == b"/"


@pytest.mark.parametrize("path", [b"/srv/../srv", b"/srv\0"])
def test_two_dots_and_nul_are_refused(client, path):
    job = catalogued(client, {b"/srv/a": "f"})

    with pytest.raises(NotFound) as refused:
        engine.list_folder(job, path)

    reason = "A path in a backup cannot contain '..' or NUL"
    assert str(refused.value) == f"{reason}: '{path.decode()}'."


@pytest.mark.parametrize("path", [b"/none", b"/srv/a", b"/srv/none/x", b"/\xff"])
def test_only_folders_of_the_view_are_listed(client, path):
    job = catalogued(client, {b"/srv/a": "f"})

    with pytest.raises(NotFound) as refused:
        engine.list_folder(job, path)

    assert str(refused.value) == f"Backup {job.pk} has no folder '{path.decode(errors='replace')}'."


def test_another_clients_folder_of_that_path_does_not_count(client):
    job = catalogued(client, {b"/srv/a": "f"})
    other = catalogued(ClientFactory(), {b"/home/a": "f"})

    with pytest.raises(NotFound):
        engine.list_folder(job, b"/home")
    with pytest.raises(NotFound):
        engine.folder_path(job, folder_of(other.client, b"/home").pk)


@pytest.mark.parametrize("status", ["queued", "running", "canceling", "failed", "canceled"])
def test_a_backup_that_did_not_succeed_has_no_view(client, status):
    job = catalogued(client, {b"/srv/a": "f"}, status=status)

    with pytest.raises(WrongState) as refused:
        engine.list_folder(job, b"/srv")

    assert str(refused.value) == f"Job {job.pk} is {status}: it is not a backup that can be read."


def test_a_restore_has_no_view(client):
    with pytest.raises(WrongState):
        View(JobFactory(client=client, type="restore", status="completed"))


def test_a_differential_shows_nothing_of_the_incrementals_before_it(client):
    full = catalogued(client, {b"/srv/a": ("f", 1)})
    catalogued(client, {b"/srv/a": ("f", 2), b"/srv/b": "f"}, full)

    third = catalogued(client, {b"/srv/c": "f"}, full, level="Differential")

    assert [(file.name, file.size) for file in engine.list_folder(third, b"/srv").files] == [
        (b"a", 1),
        (b"c", 0),
    ]


def test_a_gone_folder_is_there_no_more(client):
    full = catalogued(client, {b"/srv/sub/a": "f"})
    job = catalogued(client, {b"/srv/sub": "-", b"/srv/sub/a": "-"}, full)
    gone = folder_of(client, b"/srv/sub")

    assert names(job) == []
    with pytest.raises(NotFound):
        engine.list_folder(job, b"/srv/sub")
    with pytest.raises(NotFound):
        engine.folder_path(job, gone.pk)


def test_a_folder_that_came_back_shows_nothing_of_before(client):
    full = catalogued(client, {b"/srv/sub/a": "f"})
    second = catalogued(client, {b"/srv/sub": "-", b"/srv/sub/a": "-"}, full)
    third = catalogued(client, {b"/srv/sub": "d", b"/srv/sub/b": "f"}, second)

    assert names(third, b"/srv/sub") == [b"b"]


def test_a_folder_that_became_a_file_is_a_file(client):
    full = catalogued(client, {b"/srv/sub/a": "f"})
    job = catalogued(client, {b"/srv/sub": "f", b"/srv/sub/a": "-"}, full)

    assert [file.type for file in engine.list_folder(job, b"/srv").files] == ["file"]
    with pytest.raises(NotFound):
        engine.list_folder(job, b"/srv/sub")
    with pytest.raises(NotFound):
        engine.folder_path(job, folder_of(client, b"/srv/sub").pk)


def test_a_chain_of_sixty_shows_the_state_of_each(client):
    jobs = [catalogued(client, {f"/srv/{n}".encode(): ("f", 0) for n in range(10)})]
    state = {f"{n}".encode(): 0 for n in range(10)}
    states = [dict(state)]
    for number in range(1, 60):
        changed, gone = f"{number % 10}".encode(), f"{number * 7 % 10}".encode()
        state[changed] = number
        changes = {b"/srv/" + changed: ("f", number)}
        if gone in state and gone != changed:
            del state[gone]
            changes[b"/srv/" + gone] = "-"
        jobs.append(catalogued(client, changes, jobs[-1]))
        states.append(dict(state))

    for job, expected in zip(jobs, states, strict=True):
        assert {file.name: file.size for file in engine.list_folder(job, b"/srv").files} == expected


def test_subfolders_count_what_lies_directly_in_them(client):
    job = catalogued(
        client,
        {
            b"/srv/b/one": ("f", 3),
            b"/srv/b/two": ("f", 4),
            b"/srv/b/deep/x": ("f", 100),
            b"/srv/a": "d",
            b"/srv/file": ("f", 9),
        },
    )

    nodes = engine.subfolders(job, folder_of(client, b"/srv").pk)

    assert nodes == [
        Node(folder_of(client, b"/srv/a").pk, b"a", b"/srv/a", 0, 0, job.pk, has_children=False),
        Node(folder_of(client, b"/srv/b").pk, b"b", b"/srv/b", 7, 2, job.pk, has_children=True),
    ]


def test_subfolders_are_those_of_the_view(client):
    full = catalogued(client, {b"/srv/a/x/y": "f", b"/srv/b/one": ("f", 3), b"/srv/c": "d"})
    job = catalogued(
        client,
        {b"/srv/a/x": "-", b"/srv/a/x/y": "-", b"/srv/b/one": ("f", 5), b"/srv/c": "-"},
        full,
    )

    nodes = engine.subfolders(job, folder_of(client, b"/srv").pk)

    assert [(node.name, node.files, node.size, node.has_children) for node in nodes] == [
        (b"a", 0, 0, False),
        (b"b", 1, 5, False),
    ]


@pytest.mark.parametrize("node_id", [0, -1, 10**6, 2**63, 2**200])
def test_an_unknown_node_is_not_found(client, node_id):
    job = catalogued(client, {b"/srv/a": "f"})

    with pytest.raises(NotFound) as refused:
        engine.subfolders(job, node_id)

    assert str(refused.value) == f"Backup {job.pk} has no folder with ID {node_id}."


@pytest.mark.parametrize("number", [1, 3])
@pytest.mark.parametrize("length", [1, 4])
def test_the_number_of_queries_is_that_of_one_row(
    client, number, length, django_assert_num_queries
):
    folders = {f"/srv/{n}/x/y".encode(): "f" for n in range(number)}
    job = catalogued(client, folders | {f"/srv/f{n}".encode(): "f" for n in range(number)})
    for n in range(1, length):
        job = catalogued(client, {f"/srv/new{n}".encode(): "f"}, job)
    node = folder_of(client, b"/srv").pk

    with django_assert_num_queries(3):
        engine.list_folder(job, b"/srv", limit=50)
    with django_assert_num_queries(4):
        engine.list_folder(job, b"/srv", limit=1)
    with django_assert_num_queries(2):
        engine.folder_path(job, node)
    with django_assert_num_queries(4):
        engine.subfolders(job, node)


def test_no_query_reads_a_whole_job(client):
    job = catalogued(client, {b"/srv/a/b": "f", b"/srv/c": "f"})
    job = catalogued(client, {b"/srv/d": "f"}, job)
    view = View(job)
    folder = view.folder(b"/srv")

    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_seqscan = off")
    for rows in (
        view.content(folder).order_by("name")[:5],
        view.at(node=folder),
        view.at(node__path_hash=folder.path_hash, node__client=client),
        view.at(folder__in=folder.folders.all()).values("folder"),
    ):
        found = rows.explain()
        assert "job_id_" not in found, found
        assert "SCAN backup_app_entry" not in found, found
        assert "Seq Scan on backup_app_entry" not in found, found


def test_mtime_is_in_seconds(client):
    job = catalogued(client, {b"/srv/a": "f"})
    job.entries.filter(name=b"a").update(mtime_ns=-SECOND // 2)

    assert [file.mtime for file in engine.list_folder(job, b"/srv").files] == [-1]
