"""Dumps by programs of the operator's own, which no restore of ours starts another for."""

import pytest

from backup_app.engines.bacula.catalog.records import Catalog
from backup_app.engines.bacula.director.director import CatalogSelection
from backup_app.engines.bacula.jobs import plugin_files
from backup_app.exceptions import EngineError

from ..support.forged_jobs import add_file, execute, forged_job

pytestmark = pytest.mark.django_db
WRITTEN = b"/MYSQL/shop.sql"


@pytest.fixture
def backup(catalog):
    return forged_job()


def require_none(*backups, files=(), folders=()):
    wanted = CatalogSelection(list(backups), list(files), [_path_id(path) for path in folders])
    plugin_files.require_none(Catalog("bacula", None), wanted)


def _path_id(path):
    return execute("SELECT pathid FROM path WHERE path = %s", path)[0][0]


def test_one_that_is_chosen_is_refused(backup):
    dump = add_file(backup, WRITTEN, size=-1)

    with pytest.raises(
        EngineError,
        match=r"^'/MYSQL/shop.sql' was written by a program of a plugin\. To restore it ",
    ):
        require_none(backup, files=[dump])


@pytest.mark.parametrize("folder", ["/", "/MYSQL/"])
def test_one_in_a_chosen_folder_is_refused(backup, folder):
    add_file(backup, b"/", index=2)
    add_file(backup, WRITTEN, size=-1)

    with pytest.raises(EngineError, match=r"'/MYSQL/shop.sql' was written by a program of"):
        require_none(backup, folders=[folder])


def test_one_of_an_earlier_backup_is_refused(backup):
    add_file(backup, WRITTEN, size=-1)
    later = forged_job()

    with pytest.raises(EngineError):
        require_none(backup, later, folders=["/MYSQL/"])


def test_what_lies_elsewhere_can_be_restored(backup):
    add_file(backup, WRITTEN, size=-1)
    file = add_file(backup, b"/srv/file", size=7)
    add_file(backup, b"/srv/", index=2)

    require_none(backup, files=[file], folders=["/srv/"])


def test_files_that_have_their_size_can_be_restored(backup):
    add_file(backup, WRITTEN, size=7)

    require_none(backup, folders=["/MYSQL/"])


@pytest.mark.parametrize("name", ["mysql/shop", "postgresql/a$b-c"])
def test_our_own_dumps_can_be_restored(backup, name):
    dump = add_file(backup, f"/.databases/{name}.sql".encode(), size=-1)

    require_none(backup, files=[dump], folders=["/.databases/" + name.split("/")[0] + "/"])


@pytest.mark.parametrize(
    "path", ["/.databases/oracle/a.sql", "/.databases/mysql/a b.sql", "/x/.databases/mysql/a.sql"]
)
def test_what_only_looks_like_them_cannot(backup, path):
    dump = add_file(backup, path.encode(), size=-1)

    with pytest.raises(EngineError):
        require_none(backup, files=[dump])
