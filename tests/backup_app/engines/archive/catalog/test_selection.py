"""Finding what is to be restored, by paths and by IDs."""

import pytest

from backup_app.engines.archive import ArchiveEngine
from backup_app.engines.values import Selection
from backup_app.exceptions import NotFound

from ....support.catalog_rows import catalogued, folder_of
from ....support.factories import ClientFactory

pytestmark = pytest.mark.django_db

engine = ArchiveEngine()


@pytest.fixture
def client():
    return ClientFactory()


@pytest.fixture
def job(client):
    """A chain: /srv/a is new since the full, /srv/gone has gone, /srv/sub was there."""
    full = catalogued(
        client, {b"/srv/a": ("f", 1), b"/srv/gone": "f", b"/srv/sub/x": "f", b"/srv/was/y": "f"}
    )
    return catalogued(
        client, {b"/srv/a": ("f", 2), b"/srv/gone": "-", b"/srv/was": "-", b"/srv/was/y": "-"}, full
    )


def newest(job, name):
    return job.entries.model.objects.filter(name=name).order_by("-job_id").first()


def test_paths_give_folders_and_files(client, job):
    sub = folder_of(client, b"/srv/sub")

    found = engine.select_paths(job, [b"/srv/sub", b"/srv/a", b"/srv/sub/x", b"/"])

    assert found == Selection(
        nodes=[(sub.pk, b"/srv/sub"), (folder_of(client, b"/").pk, b"/")],
        files=[(newest(job, b"a").pk, b"/srv/a"), (newest(job, b"x").pk, b"/srv/sub/x")],
    )
    assert newest(job, b"a").job == job


def test_paths_are_normalised_and_each_is_there_once(client, job):
    assert engine.select_paths(job, []) == Selection(nodes=[], files=[])

    found = engine.select_paths(job, [b"/srv/sub/", b"//srv/./sub", b"/srv/sub"])

    assert found == Selection(nodes=[(folder_of(client, b"/srv/sub").pk, b"/srv/sub")], files=[])


@pytest.mark.parametrize(
    "path", [b"/srv/gone", b"/srv/was", b"/srv/was/y", b"/none", b"/none/x", b"/srv/a/x", b"/srv/A"]
)
def test_a_path_that_the_view_has_not_is_named(job, path):
    with pytest.raises(NotFound) as refused:
        engine.select_paths(job, [b"/srv/a", path])

    assert str(refused.value) == f"Backup {job.pk} does not contain '{path.decode()}'."


def test_two_dots_are_refused(job):
    with pytest.raises(NotFound) as refused:
        engine.select_paths(job, [b"/srv/sub/../a"])

    assert str(refused.value) == "A path in a backup cannot contain '..' or NUL: '/srv/sub/../a'."


def test_ids_give_folders_and_files(client, job):
    sub, a = folder_of(client, b"/srv/sub"), newest(job, b"a")

    assert engine.select_ids(job, [sub.pk], [a.pk]) == Selection(
        nodes=[(sub.pk, b"/srv/sub")], files=[(a.pk, b"/srv/a")]
    )


def test_the_file_id_of_a_folder_selects_the_folder(client, job):
    sub = folder_of(client, b"/srv/sub")

    found = engine.select_ids(job, [sub.pk], [newest(job, b"sub").pk])

    assert found == Selection(nodes=[(sub.pk, b"/srv/sub")], files=[])


def test_a_file_that_was_replaced_or_deleted_is_not_found(job):
    old = job.entries.model.objects.filter(name=b"a").order_by("job_id").first()

    for file in (old, newest(job, b"gone")):
        with pytest.raises(NotFound) as refused:
            engine.select_ids(job, [], [file.pk])

        assert str(refused.value) == f"Backup {job.pk} has no file with ID {file.pk}."


@pytest.mark.parametrize("path", [b"/srv/was", b"/elsewhere"])
def test_a_folder_that_the_view_has_not_is_named(client, job, path):
    folder = folder_of(client, path)

    with pytest.raises(NotFound) as refused:
        engine.select_ids(job, [folder_of(client, b"/srv").pk, folder.pk], [])

    assert str(refused.value) == f"Backup {job.pk} has no folder with ID {folder.pk}."


@pytest.mark.parametrize("wrong", [0, -5, 10**9, 2**64])
def test_an_unknown_id_is_named(job, wrong):
    with pytest.raises(NotFound) as nodes:
        engine.select_ids(job, [wrong], [])
    with pytest.raises(NotFound) as files:
        engine.select_ids(job, [], [wrong])

    assert str(nodes.value) == f"Backup {job.pk} has no folder with ID {wrong}."
    assert str(files.value) == f"Backup {job.pk} has no file with ID {wrong}."


@pytest.mark.parametrize("number", [1, 3])
def test_the_number_of_queries_is_that_of_one(client, number, django_assert_num_queries):
    wanted = [f"/srv/{n}/x".encode() for n in range(number)]
    job = catalogued(client, dict.fromkeys(wanted, "f"))
    files = [entry.pk for entry in job.entries.filter(kind="f")]
    nodes = [entry.node_id for entry in job.entries.filter(kind="d")]

    with django_assert_num_queries(3):
        engine.select_paths(job, wanted)
    with django_assert_num_queries(3):
        engine.select_ids(job, nodes, files)


def test_ten_thousand_paths_are_found_in_few_queries(client, django_assert_max_num_queries):
    job = catalogued(client, {b"/srv": "d"})
    folder = folder_of(client, b"/srv")
    model = job.entries.model
    model.objects.bulk_create(
        model(job=job, folder=folder, name=f"{n}".encode(), kind="f") for n in range(10_000)
    )

    with django_assert_max_num_queries(5):
        found = engine.select_paths(job, [f"/srv/{n}".encode() for n in range(10_000)])

    assert [path for _, path in found.files] == [f"/srv/{n}".encode() for n in range(10_000)]
