import pytest

from backup_app.engines.archive.backup.catalog_writer import CatalogWriter
from backup_app.engines.archive.catalog.folders import ensure_folder
from backup_app.engines.archive.storage.manifest import ManifestWriter
from backup_app.exceptions import EngineError
from backup_app.models import Entry

from ....support.factories import JobFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def catalog(tmp_path):
    job = JobFactory(status="running")
    folder = ensure_folder(job.client, b"/tree")
    with ManifestWriter(tmp_path / "lines") as manifest:
        catalog = CatalogWriter(job, manifest)
        catalog.add_gone(folder, b"/tree", b"first")
        catalog.flush()
        catalog.add_gone(folder, b"/tree", b"second")
        yield catalog


def test_finish_writes_what_is_left(catalog):
    catalog.finish()

    assert list(Entry.objects.values_list("name", flat=True)) == [b"first", b"second"]


def test_entries_that_the_database_lost_are_missed(catalog):
    Entry.objects.all().delete()

    with pytest.raises(EngineError, match="has 1 of the backup's 2 entries"):
        catalog.finish()
