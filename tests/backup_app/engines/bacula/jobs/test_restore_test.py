"""Samples of backups by Bacula that are restored and compared."""

import os

import pytest

from backup_app.engines import get_engine
from backup_app.jobs import control

from ..support.jobs import back_up, finish, log_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def root(settings, tmp_path):
    settings.BACKUP_ROOT = str(tmp_path / "root")


@pytest.fixture
def chain(bacula, bacula_client, tree):
    client = bacula_client(tree)
    (tree / "noise").write_bytes(os.urandom(300_000))
    (tree / "link").symlink_to("letter")
    full = back_up(client)
    (tree / "letter").write_text("Dear nobody")
    return full, back_up(client, "Incremental")


def sampled(backup, status):
    job = finish(control.start_restore_test(backup, 10, "test"))
    assert (job.status, log_of(job)) == (status, log_of(job))
    return job


def test_a_sample_of_all_that_a_backup_consists_of_is_compared(chain, tmp_path):
    job = sampled(chain[1], "completed")

    assert (job.files, job.bytes) == (2, 300_011)
    assert job.message.startswith(f"A sample of backup {chain[1].pk} is restored as it was: 2")
    assert [path for path in (tmp_path / "root").rglob("*") if path.is_file()] == []
    assert get_engine().supports_restore_tests


def test_what_rotted_on_a_volume_is_found(bacula, chain):
    query = f"""
        SELECT volumename FROM media JOIN jobmedia USING (mediaid)
        WHERE jobid = {chain[0].engine_job_id}"""  # noqa: S608
    volume = bacula.volumes / bacula.query(query)[0][0]
    data = bytearray(volume.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 64] = bytes(64)
    volume.write_bytes(data)

    assert "was not extracted" in sampled(chain[1], "failed").message


def test_a_backup_with_nothing_to_compare_says_so(bacula, bacula_client, tree):
    (tree / "letter").unlink()

    job = sampled(back_up(bacula_client(tree)), "warnings")

    assert "has no file with a checksum to compare" in job.message
