"""How long the dumps stay that are made before a database is overwritten."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from backup_app.engines import get_engine
from backup_app.engines.values import Problem
from backup_app.jobs import retention
from backup_app.models import Client, Job
from backup_app.services import clients

from ....support.factories import JobFactory, StorageFactory

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)


@pytest.fixture
def storage(tmp_path):
    return StorageFactory(path=str(tmp_path))


def failed_load(storage, days, **fields):
    """Make a restore that failed days ago, and the dump that it left."""
    ended = timezone.now() - days * DAY
    values = {"type": "restore", "level": None, "status": "failed", "ended": ended}
    job = JobFactory(client__pool__storage=storage, **(values | fields))
    dump = Path(storage.path) / f"safety/{job.client_id}/job-{job.pk}-mysql-shop.sql.zst"
    dump.parent.mkdir(parents=True, exist_ok=True)
    dump.touch()
    return job, dump


def test_prune_keeps_a_dump_for_the_days_of_the_pool(storage):
    _, young = failed_load(storage, 29)
    old_job, old = failed_load(storage, 31)

    removed = [each.job_id for each in retention.prune(Client.objects.all())]

    assert removed == [old_job.pk]
    assert (young.exists(), old.exists(), old.parent.exists()) == (True, False, False)


def test_a_dry_run_of_prune_keeps_it(storage):
    _, old = failed_load(storage, 31)

    list(retention.prune(Client.objects.all(), dry_run=True))

    assert old.exists()


def test_dumps_of_other_jobs_of_the_client_stay(storage):
    job, old = failed_load(storage, 31)
    _, young = failed_load(storage, 1, client=job.client, pk=job.pk * 10 + 1)

    list(retention.prune([job.client]))

    assert (young.exists(), old.exists()) == (True, False)


def test_a_job_that_fails_keeps_its_dump(storage):
    job, dump = failed_load(storage, 0, status="running", ended=None)

    get_engine().discard(job)

    assert dump.exists()


def test_purge_removes_the_dumps_of_a_client(storage):
    job, dump = failed_load(storage, 1)
    clients.delete(job.client)

    [purged] = retention.purge(timezone.now())

    assert purged.problem == ""
    assert not dump.parent.exists()
    assert not Job.objects.exists()


def test_a_dump_that_cannot_be_deleted_keeps_its_job(storage):
    job, dump = failed_load(storage, 31)
    dump.unlink()
    dump.mkdir()

    [removed] = retention.prune([job.client])

    assert "cannot be deleted" in removed.problem
    assert Job.objects.filter(pk=job.pk).exists()


def test_a_check_names_only_dumps_that_belong_to_nothing(storage):
    job, known = failed_load(storage, 1)
    lost = known.with_name(f"job-{job.pk + 1}-mysql-shop.sql.zst")
    moved = known.parent.parent / "999" / known.name
    strange = known.with_name("notes.txt")
    moved.parent.mkdir()
    for file in (lost, moved, strange):
        file.touch()

    found = list(get_engine().check_storage(storage))

    sentence = "This dump of a database belongs to no job."
    assert sorted(found, key=lambda problem: problem.path) == [
        Problem(str(path), sentence, job_id)
        for path, job_id in sorted(
            [(lost, job.pk + 1), (moved, job.pk), (strange, None)], key=lambda pair: str(pair[0])
        )
    ]


def test_a_check_that_deletes_leaves_what_it_does_not_know(storage):
    job, known = failed_load(storage, 1)
    lost, strange = known.with_name(f"job-{job.pk + 1}-mysql-shop.sql.zst"), known.with_name("x")
    lost.touch()
    strange.touch()

    list(get_engine().check_storage(storage, delete=True))

    assert (known.exists(), lost.exists(), strange.exists()) == (True, False, True)
