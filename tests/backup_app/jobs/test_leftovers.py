"""What a failed job could not remove is removed as soon as that is possible, and it says why."""

import contextlib
import socket
from pathlib import Path

import pytest
from django.db import OperationalError, connection

from backup_app.engines.archive.backup import catalog_writer
from backup_app.engines.archive.storage.labels import storage_folder
from backup_app.jobs import control, execute, job_run, periodic, states
from backup_app.models import Entry, Job, Volume
from tests.prerequisites import only_on

from ..support.factories import JobFactory
from ..support.local_backups import back_up, begin, local_client, local_roots


@pytest.fixture
def machine(tmp_path):
    with local_roots(tmp_path):
        machine = local_client(tmp_path)
        for number in range(3000):
            (tmp_path / f"tree/{number:0100}").touch()
        yield machine


def pragma(words):
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA {words}")
        return cursor.fetchone()[0]


@contextlib.contextmanager
def full_database():
    connection.cursor().execute("VACUUM")  # which leaves no free pages
    pragma(f"max_page_count = {pragma('page_count')}")
    try:
        yield
    finally:
        pragma("max_page_count = 1073741823")


@only_on("sqlite")  # PostgreSQL cannot be made this full.
@pytest.mark.django_db(transaction=True)
def test_a_full_database_is_named_and_keeps_nothing(machine, monkeypatch):
    monkeypatch.setattr(catalog_writer, "BATCH", 500)
    job = control.start_backup(machine, level="Full", by="test")
    pages = pragma("page_count") + 60  # The folders and the first batches of entries fit.
    pragma(f"max_page_count = {pages}")
    try:
        execute.run(job.pk)
    finally:
        pragma("max_page_count = 1073741823")

    job.refresh_from_db()
    assert (job.status, job.message) == ("failed", "The database failed: database or disk is full.")
    assert Entry.objects.count() == Volume.objects.count() == 0
    assert list(Path(job.storage.path, "work").iterdir()) == []
    assert not job.has_leftovers


@only_on("sqlite")  # PostgreSQL cannot be made this full.
@pytest.mark.django_db(transaction=True)
def test_the_end_is_written_once_there_is_room_again(machine, tmp_path, monkeypatch):
    """Not even the log fits; the database has room again while the worker waits."""
    add_sockets(tmp_path / "tree", 90)  # a line of the log for each
    pauses = []

    def make_room(seconds):
        pauses.append(seconds)
        pragma("max_page_count = 1073741823")

    monkeypatch.setattr(execute, "sleep", make_room)
    job = control.start_backup(machine, level="Full", by="test")
    with full_database():
        execute.run(job.pk)

    job.refresh_from_db()
    assert (job.status, job.message, len(pauses)) == (
        "failed",
        "The database failed: database or disk is full.",
        1,
    )


@pytest.fixture
def long_job(monkeypatch):
    """A running job with lines of its log that need space."""
    monkeypatch.setattr(job_run, "EVERY", 0)
    job = JobFactory()
    states.begin(job.pk, "me")
    run = job_run.JobRun(job, "me")
    for _ in range(9):
        run.info("x" * 5000)
    return run


@only_on("sqlite")  # PostgreSQL cannot be made this full.
@pytest.mark.django_db(transaction=True)
def test_a_heartbeat_that_cannot_be_stored_ends_no_job(long_job, caplog):
    with full_database():
        long_job.tick(1)

    assert caplog.messages == [f"The heartbeat of job {long_job.job.pk} could not be stored."]
    long_job.tick(2)
    assert long_job.job.log.count() == 9
    assert Job.objects.get().files_done == 2


@only_on("sqlite")  # PostgreSQL cannot be made this full.
@pytest.mark.django_db(transaction=True)
def test_an_end_that_never_fits_is_left_to_other_workers(long_job, monkeypatch):
    monkeypatch.setattr(execute, "PAUSES", (0.01,))

    with full_database(), pytest.raises(OperationalError, match="full"):
        execute.fail(long_job, "failed", "It failed.")

    assert Job.objects.get().status == "running"


def add_sockets(folder, number):
    for name in range(number):
        with socket.socket(socket.AF_UNIX) as listening, contextlib.chdir(folder):
            listening.bind(f"{name:090}")


@pytest.mark.django_db(transaction=True)
def test_what_could_not_be_removed_is_removed_later(machine, caplog):
    """As where the disk of the storage is away when a killed job is ended."""
    good = back_up(machine)
    folder = storage_folder(good.storage)
    dead = begin(machine)
    Job.objects.filter(pk=dead.pk).update(worker="elsewhere:1:1", seen="2020-01-01T00:00Z")
    work = folder / f"work/job-{dead.pk}"
    work.mkdir()
    Entry.objects.create(job=dead, folder=Entry.objects.first().folder, name=b"x", kind="f")
    away = folder.rename(folder.with_name("away"))

    periodic.tick()

    dead.refresh_from_db()
    assert (dead.status, dead.has_leftovers) == ("failed", True)
    assert not Entry.objects.filter(job=dead).exists()
    periodic.tick()
    (told,) = [record for record in caplog.records if "Leftovers of" in record.message]
    why = f"The storage '{good.storage}' has no folder '{folder}'."
    assert told.message == f"Leftovers of job {dead.pk} could not be removed: {why}"
    assert not told.exc_info
    away.rename(folder)
    periodic.tick()
    dead.refresh_from_db()
    assert not dead.has_leftovers
    assert not work.exists()
