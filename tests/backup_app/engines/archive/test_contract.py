"""The embedded engine passes the tests of all engines."""

from pathlib import Path

import pytest

from backup_app.models import Entry, Volume

from ...support.contract import EngineContract
from ...support.local_backups import local_client, local_roots, volume_of


@pytest.mark.django_db
class TestArchive(EngineContract):
    @pytest.fixture
    def tree(self, tmp_path):
        (tmp_path / "tree").mkdir()
        return tmp_path / "tree"

    @pytest.fixture
    def machine(self, tmp_path, tree):
        with local_roots(tmp_path):
            yield local_client(tmp_path)

    @pytest.fixture
    def destination(self, tmp_path):
        (tmp_path / "destination").mkdir()
        return tmp_path / "destination"

    def leftovers(self, job):
        files = Path(job.storage.path).rglob(f"*job-{job.pk}*")
        return [*files, *Entry.objects.filter(job=job), *Volume.objects.filter(job=job)]

    def damage(self, job):
        volume = volume_of(job)
        data = bytearray(volume.read_bytes())
        middle = len(data) // 2
        data[middle : middle + 64] = bytes(64)
        volume.write_bytes(data)
