"""Verifications that Bacula makes."""

import pytest

from backup_app.jobs import control

from ....support.factories import PoolFactory
from ..support.forged_jobs import schema
from ..support.jobs import back_up, finish, log_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def tree(tree):
    (tree / "noise").write_bytes(bytes(range(256)) * 1000)
    return tree


@pytest.fixture
def chain(bacula, bacula_client, tree):
    """A full backup and an incremental one that builds on it."""
    client = bacula_client(tree)
    full = back_up(client)
    (tree / "new").write_text("new")
    return full, back_up(client, "Incremental")


def verify(job, status):
    done = finish(control.start_verify(job, "test"))
    assert (done.status, log_of(done)) == (status, log_of(done))
    return done


def faults(job):
    return [line for line in log_of(job)[:-1] if line.startswith("error")]


def volume_of(bacula, job):
    query = f"""
        SELECT volumename FROM media JOIN jobmedia USING (mediaid)
        WHERE jobid = {job.engine_job_id}"""  # noqa: S608
    ((name,),) = bacula.query(query)
    return bacula.volumes / name


def test_it_reads_all_that_a_backup_consists_of(bacula, chain):
    full, later = chain

    done = verify(later, "completed")

    assert (done.files, done.bytes) == (full.files + later.files, full.bytes + later.bytes)
    assert done.message.startswith(f"Backup {later.pk} is intact.")
    numbers = [full.engine_job_id, later.engine_job_id]
    read = [line for line in log_of(done) if "Verifying against JobId=" in line]
    assert [f"JobId={number} " in line for number, line in zip(numbers, read, strict=True)]


def test_it_reads_where_the_backup_is_when_the_client_has_moved(bacula, chain, settings):
    _, later = chain
    settings.BACKUP_ENGINES |= {"other": {"BACKEND": "backup_app.engines.archive.ArchiveEngine"}}
    client = later.client
    client.pool = PoolFactory(account=client.account, storage__zone__engine="other")
    client.zone = client.pool.storage.zone
    client.save()

    verify(later, "completed")


@pytest.mark.parametrize("place", [300, 0.5, -200])
def test_one_byte_that_flipped_is_found(bacula, chain, place):
    full, later = chain
    volume = volume_of(bacula, full)
    data = bytearray(volume.read_bytes())
    data[int(len(data) * place) if isinstance(place, float) else place] ^= 1
    volume.write_bytes(data)

    done = verify(later, "failed")

    start = f"Backup {later.pk} is damaged: job {full.engine_job_id} of Bacula: "
    assert done.message.startswith(start)
    assert f"job {later.engine_job_id}" not in done.message
    assert faults(done)


def test_a_volume_that_was_cut_off_is_found(bacula, chain):
    full, _ = chain
    volume = volume_of(bacula, full)
    volume.write_bytes(volume.read_bytes()[:-3000])

    done = verify(full, "failed")

    assert done.message.startswith(f"Backup {full.pk} is damaged: ")


def test_what_differs_from_the_catalog_is_named(bacula, chain, tree):
    full, _ = chain
    letter = schema().key("'letter'")
    bacula.query(
        f"UPDATE file SET md5 = 'AAAAAAAAAAAAAAAAAAAAAA' WHERE {schema().name} = {letter}"  # noqa: S608
        f" AND jobid = {full.engine_job_id}"
    )

    done = verify(full, "failed")

    number = full.engine_job_id
    differs = "what is on the volumes differs from the catalog"
    assert done.message == f"Backup {full.pk} is damaged: job {number} of Bacula: {differs}."
    assert f"error: test-dir: File: {tree}/letter" in faults(done)


def test_a_lost_volume_ends_it(bacula, chain, settings):
    settings.BACKUP_ENGINES["default"]["OPTIONS"] = bacula.options(away_seconds=1)
    full, _ = chain
    volume_of(bacula, full).unlink()

    done = verify(full, "failed")

    assert done.message.startswith("No volume was mounted for 1 seconds: Please mount read")


def test_an_unreachable_client_is_not_reported_as_damage(bacula, chain):
    full, _ = chain
    bacula.one.daemon.stop()

    done = verify(full, "failed")

    assert done.message.startswith("Unable to connect to Client: one-fd")


def test_this_hosts_own_file_daemon_spares_the_client_the_work(bacula, chain, settings):
    settings.BACKUP_ENGINES["default"]["OPTIONS"] = bacula.options(spool_client="two-fd")
    full, _ = chain
    bacula.one.daemon.stop()

    verify(full, "completed")
