"""A kill -9 at any moment leaves the earlier state or the new one.

Each test kills a real process at a random moment of its work, which its seed repeats.
"""

import random
import time
from pathlib import Path

import pytest
from django.test import override_settings

from backup_app.engines import get_engine
from backup_app.jobs import control, execute, periodic, retention, tasks
from backup_app.models import Entry, Job, Volume
from backup_app.models.job import ACTIVE, GOOD
from tests.attacks import rounds

from ...jobs.test_retention import DAY
from ...support.factories import ClientFactory
from ...support.machine.processes import manage, wait_for

pytestmark = pytest.mark.django_db(transaction=True)
SEEDS = range(rounds(2, 100))
FILES = 40
WORKER = "worker --no-startup-delay --interval=0.05".split()
REMOVAL = 0.05  # seconds from when the first backup is removed to the kill


@pytest.fixture
def client(tmp_path):
    """A client of this machine, backed up by the archive engine."""
    for name in ("client", "storage"):
        tmp_path.joinpath(name).mkdir()
    with override_settings(BACKUP_LOCAL_ROOTS=str(tmp_path)):
        client = ClientFactory(fileset__include=[{"path": str(tmp_path / "client")}])
        client.pool.storage.path = str(tmp_path / "storage")
        client.pool.storage.save()
        client.source = tmp_path / "client"
        yield client


def change(client, seed):
    """Change files of the client, each time others and each time differently."""
    for number in range(FILES):
        text = f"{seed} {number} " * (1 + (seed * 7 + number) % 900)
        (client.source / f"file {number}").write_text(text)


def moment(seed, longest):
    return random.Random(seed).uniform(0, longest)  # noqa: S311 - to be repeated


def do(job):
    execute.run(job.pk)
    job.refresh_from_db()
    assert job.status == "completed", job.message
    return job


def back_up(client, level="Incremental"):
    return do(control.start_backup(client, level=level, by="test"))


def kill_while_it_runs(tmp_path, job, seed, like):
    """Let a worker begin a job, and kill it at a random moment of the time that ``like`` took."""
    with manage(tmp_path, *WORKER) as worker:
        wait_for(lambda: not Job.objects.filter(pk=job.pk, status="queued").exists(), worker)
        time.sleep(moment(seed, 1.2 * (like.ended - like.started).total_seconds()))
        worker.kill()


def require_order(client):
    """Check that all that is there is right, as it is once upkeep has been done."""
    periodic.tick()
    assert not Job.objects.filter(status__in=ACTIVE).exists()
    assert not Entry.objects.exclude(job__status__in=GOOD).exists()
    assert not Volume.objects.exclude(job__status__in=GOOD).exists()
    assert list(Path(client.pool.storage.path, "work").glob("*")) == []
    for backup in client.jobs.backups().good():
        verify(backup)


def verify(backup):
    do(control.start_verify(backup, "test"))


def problems(client, **options):
    storage = client.pool.storage
    return list(get_engine("default").check_storage(storage, **options))


def require_next_backup(client):
    change(client, 1000)
    job = back_up(client)
    verify(job)


@pytest.mark.attack
@pytest.mark.parametrize("seed", SEEDS)
def test_a_killed_backup_leaves_nothing(client, tmp_path, seed):
    change(client, seed)
    first = back_up(client)
    change(client, seed + 1)
    job = control.start_backup(client, by="test")
    tasks.enqueue(job.pk)

    kill_while_it_runs(tmp_path, job, seed, like=first)

    require_order(client)
    job.refresh_from_db()
    assert job.status in ("failed", "completed")
    assert list(client.jobs.backups().good()) == ([job, first] if job.is_good else [first])
    assert problems(client) == []
    tasks.run_job.call(job.pk)
    job.refresh_from_db()
    assert job.status in ("failed", "completed")
    require_next_backup(client)


def test_a_backup_that_is_canceled_ends_in_seconds(client, tmp_path):
    (client.source / "large").write_bytes(random.Random(1).randbytes(40_000_000))  # noqa: S311
    client.fileset.options = {"compression": 19}  # takes longer than it takes to cancel
    client.fileset.save()
    job = control.start_backup(client, by="test")
    tasks.enqueue(job.pk)

    with manage(tmp_path, *WORKER) as worker:
        wait_for(lambda: Job.objects.filter(pk=job.pk, bytes_expected__gt=0).exists(), worker)
        control.cancel(job, "ann")
        wait_for(lambda: not Job.objects.filter(pk=job.pk, status="canceling").exists(), worker)

    job.refresh_from_db()
    assert (job.status, job.message) == ("canceled", "The job was canceled.")
    require_order(client)
    assert problems(client) == []
    client.source.joinpath("large").unlink()
    require_next_backup(client)


@pytest.mark.attack
@pytest.mark.parametrize("seed", SEEDS)
def test_a_killed_restore_can_be_repeated(client, tmp_path, seed):
    change(client, seed)
    backup = back_up(client)
    engine = get_engine("default")
    names = [str(path).encode() for path in sorted(client.source.iterdir())]
    selection = engine.select_paths(backup, names)
    target = tmp_path / "restored"

    def start():
        return control.start_restore(
            backup, client, selection, path=str(target).encode(), by="test"
        )

    job = start()
    tasks.enqueue(job.pk)

    kill_while_it_runs(tmp_path, job, seed, like=backup)

    require_order(client)
    job.refresh_from_db()
    assert job.status in ("failed", "completed")
    assert problems(client) == []
    do(start())
    for path in client.source.iterdir():
        assert (target / str(path)[1:]).read_bytes() == path.read_bytes()
    require_next_backup(client)


@pytest.mark.attack
@pytest.mark.parametrize("seed", SEEDS)
def test_a_killed_prune_breaks_no_chain(client, tmp_path, seed):
    for number, level in enumerate(("Full", "Incremental", "Incremental", "Full", "Incremental")):
        change(client, seed + number)
        back_up(client, level)
    old = list(client.jobs.order_by("pk")[:3])
    for job in old:
        Job.objects.filter(pk=job.pk).update(
            started=job.started - 40 * DAY, ended=job.ended - 40 * DAY
        )
    with manage(tmp_path, "prune") as prune:
        wait_for(lambda: client.jobs.count() < 5, prune)
        time.sleep(moment(seed, REMOVAL))
        prune.kill()

    require_order(client)
    left = set(client.jobs.backups().values_list("pk", flat=True))
    for job in client.jobs.backups():
        assert set(job.sources.values_list("pk", flat=True)) <= left
    # The next one finishes it, but for a mark on what was not removed: that is named.
    list(retention.prune([client]))
    left = [problem.message for problem in problems(client, delete=True)]
    assert set(left) <= {"The removal of this backup was interrupted."}
    assert problems(client) == []
    require_next_backup(client)
