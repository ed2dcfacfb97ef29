import shutil

import pytest

from backup_app.engines.archive import ArchiveEngine
from backup_app.engines.archive.storage import space
from backup_app.models import Storage


def test_the_disk_of_a_folder_is_asked(tmp_path):
    capacity, free = ArchiveEngine().disk_usage(Storage(path=str(tmp_path)))

    assert capacity == shutil.disk_usage(tmp_path).total
    assert 0 <= free <= capacity


def test_a_folder_that_is_not_yet_there_will_be_on_the_disk_above_it(tmp_path):
    storage = Storage(path=str(tmp_path / "new" / "backups"))

    assert space.disk_usage(storage)[0] == shutil.disk_usage(tmp_path).total


@pytest.mark.parametrize("path", ["", "/a\0b", "/" + "x" * 300])
def test_what_is_no_folder_is_unknown(path):
    found = space.disk_usage(Storage(path=path))

    assert found is None or found[0] == shutil.disk_usage("/").total
