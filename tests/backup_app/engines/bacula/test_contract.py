"""The Bacula engine passes the tests of all engines, by the console that the guide describes."""

import pytest

from ...support.contract import EngineContract
from .conftest import ENGINE


@pytest.mark.django_db
class TestBacula(EngineContract):
    time_step_ns = 10**9  # an LStat has seconds
    knows_targets = False  # those are in the volumes, and not in the catalog
    dates_folders = False  # files of a later job are put into folders of an earlier one

    @pytest.fixture
    def tree(self, tmp_path):
        (tmp_path / "tree").mkdir()
        return tmp_path / "tree"

    @pytest.fixture
    def machine(self, bacula, bacula_client, tree, settings):
        self.bacula = bacula
        options = bacula.options(console="calendar")
        settings.BACKUP_ENGINES = {"default": {"BACKEND": ENGINE, "OPTIONS": options}}
        return bacula_client(tree)

    @pytest.fixture
    def destination(self, tmp_path):
        (tmp_path / "destination").mkdir()
        return tmp_path / "destination"

    def leftovers(self, job):
        """Return what Bacula knows of a job, and the volumes that have more than a label."""
        number = job.engine_job_id or 0
        rows = self.bacula.query(f"SELECT jobid FROM job WHERE jobid = {number}")  # noqa: S608
        return [*rows, *self._volumes(number)]

    def damage(self, job):
        for volume in self._volumes(job.engine_job_id):
            data = bytearray(volume.read_bytes())
            middle = len(data) // 2
            data[middle : middle + 64] = bytes(64)
            volume.write_bytes(data)

    def _volumes(self, number):
        query = f"""
            SELECT DISTINCT volumename FROM media JOIN jobmedia USING (mediaid)
            WHERE jobid = {number}"""  # noqa: S608
        return [self.bacula.volumes / name for (name,) in self.bacula.query(query)]
