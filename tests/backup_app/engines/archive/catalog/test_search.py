"""Looking through all backups of a client."""

import pytest

from backup_app.engines.archive import ArchiveEngine
from backup_app.exceptions import NotFound
from backup_app.models import Job

from ....support.catalog_rows import catalogued
from ....support.factories import ClientFactory, FilesetFactory, JobFactory

pytestmark = pytest.mark.django_db

engine = ArchiveEngine()


@pytest.fixture
def client():
    return ClientFactory()


def jobs_with(client, path):
    return list(engine.jobs_with_path(client.jobs.order_by("pk"), path))


def test_backups_whose_view_has_a_path(client):
    full = catalogued(client, {b"/srv/a": "f", b"/srv/b": "f"})
    second = catalogued(client, {b"/srv/a": "-", b"/srv/c": "f"}, full)
    third = catalogued(client, {b"/srv/b": "f"}, second)
    fourth = catalogued(client, {b"/srv/a": "f"}, third)

    assert jobs_with(client, b"/srv/a") == [full, fourth]
    assert jobs_with(client, b"/srv/b") == [full, second, third, fourth]
    assert jobs_with(client, b"/srv/c/") == [second, third, fourth]
    assert jobs_with(client, b"/srv") == [full, second, third, fourth]
    assert jobs_with(client, b"/") == [full, second, third, fourth]


@pytest.mark.parametrize("path", [b"/none", b"/none/x", b"/srv/a/x", b"/sr"])
def test_no_backup_has_an_unknown_path(client, path):
    catalogued(client, {b"/srv/a": "f"})

    assert jobs_with(client, path) == []


def test_a_differential_does_not_have_what_incrementals_before_it_found(client):
    full = catalogued(client, {b"/srv/a": "f"})
    second = catalogued(client, {b"/srv/b": "f", b"/srv/a": "-"}, full)
    third = catalogued(client, {}, full, level="Differential")

    assert jobs_with(client, b"/srv/a") == [full, third]
    assert jobs_with(client, b"/srv/b") == [second]


def test_only_good_backups_are_looked_into(client):
    catalogued(client, {b"/srv/a": "f"}, status="failed")
    good = catalogued(client, {b"/srv/a": "f"}, status="warnings")
    JobFactory(client=client, type="restore", status="completed")

    assert jobs_with(client, b"/srv/a") == [good]


def test_another_clients_backups_are_not_found_by_this_ones_folders(client):
    catalogued(client, {b"/srv/a": "f"})
    other = catalogued(ClientFactory(), {b"/srv": "d"})

    assert list(engine.jobs_with_path(Job.objects.filter(pk=other.pk), b"/srv/a")) == []
    assert list(engine.jobs_with_path(Job.objects.filter(pk=other.pk), b"/srv")) == [other]


@pytest.mark.parametrize("number", [1, 3])
def test_one_query_looks_through_all(client, number, django_assert_num_queries):
    for n in range(number):
        catalogued(client, {b"/srv/a": ("f", n)})

    with django_assert_num_queries(1):
        assert len(jobs_with(client, b"/srv/a")) == number


def tree(client, path):
    return [(node.path, node.files) for node in engine.client_tree(client, path)]


def test_the_tree_is_that_of_the_newest_backup(client):
    full = catalogued(client, {b"/srv/a/x": "f", b"/srv/b/x": "f"})
    catalogued(client, {b"/srv/a/y": "f", b"/srv/b": "-", b"/srv/b/x": "-"}, full)

    assert tree(client, b"/srv") == [(b"/srv/a", 2)]
    assert tree(client, b"/") == [(b"/srv", 0)]


def test_the_tree_joins_the_newest_backups_of_all_filesets(client):
    catalogued(client, {b"/srv/a/x": "f", b"/etc/old": "f"})
    catalogued(client, {b"/srv/b": "d", b"/srv/a": "d"})
    other = FilesetFactory(account=client.account)
    catalogued(client, {b"/srv/c/x": "f", b"/srv/a/x": "f"}, fileset=other)
    catalogued(client, {b"/srv/d/x": "f"}, fileset=other, status="failed")

    assert tree(client, b"/srv") == [(b"/srv/a", 1), (b"/srv/b", 0), (b"/srv/c", 1)]
    assert tree(client, b"/") == [(b"/srv", 0)]


def test_a_folder_without_folders_has_an_empty_tree(client):
    catalogued(client, {b"/srv/a/x": "f"})

    assert tree(client, b"/srv/a") == []


@pytest.mark.parametrize("path", [b"/none", b"/srv/a/x", b"/srv/.."])
def test_a_path_in_no_backup_is_not_found(client, path):
    catalogued(client, {b"/srv/a/x": "f"})

    with pytest.raises(NotFound):
        engine.client_tree(client, path)


def test_a_client_without_backups_has_no_tree(client):
    with pytest.raises(NotFound) as refused:
        engine.client_tree(client, b"/")

    assert str(refused.value) == f"No backup of client '{client}' has a folder '/'."


@pytest.mark.parametrize("number", [1, 3])
def test_the_tree_takes_the_queries_of_one_folder(client, number, django_assert_num_queries):
    catalogued(client, {f"/srv/{n}/x".encode(): "f" for n in range(number)})

    with django_assert_num_queries(5):
        assert len(tree(client, b"/srv")) == number
