"""Workers learn of tasks without polling; each test's worker would poll again in an hour."""

import os
import stat
import threading
import time
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.test import override_settings
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from backup_app.jobs.heartbeat import wake
from backup_app.models import Job
from config.serving import wakeup
from tests.backup_app.support.api_client import client_of
from tests.backup_app.support.factories import ClientFactory
from tests.backup_app.support.machine.processes import manage, wait_for
from tests.prerequisites import only_on

WORKER = "worker --no-startup-delay --interval=3600 --queue-name=*".split()
SOON = timedelta(seconds=10)  # for a busy machine; an idle one needs milliseconds
HOUR = 3600

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def data_dir(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    return tmp_path


@pytest.fixture
def worker(tmp_path):
    """A worker that has done a task and sleeps."""
    wake.enqueue()
    with manage(tmp_path, *WORKER) as process:
        wait_for(DBTaskResult.objects.filter(status="SUCCESSFUL").exists, process)
        yield process


@pytest.fixture
def client(tmp_path):
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "letter").write_text("Dear Ada")
    (tmp_path / "storage").mkdir()
    with override_settings(BACKUP_LOCAL_ROOTS=str(tmp_path)):
        client = ClientFactory(fileset__include=[{"path": str(tmp_path / "files")}])
        client.pool.storage.path = str(tmp_path / "storage")
        client.pool.storage.save()
        yield client


def seconds_of(sleep, seconds):
    begin = time.monotonic()
    sleep(seconds)
    return time.monotonic() - begin


def pipes(folder):
    return list((folder / "workers").glob("*"))


def test_jobs_start_at_once(client, worker, tmp_path):
    api, path = client_of(client.account), tmp_path / "files" / "letter"

    backup = api.post(f"/api/backupnow/{client.ip}/full").json()["job_id"]
    wait_for(Job.objects.filter(pk=backup, status="completed").exists, worker)
    path.unlink()
    restore = api.post(f"/api/restore/{backup}/{client.ip}", {"files": [str(path)]})
    restore = restore.json()["job_id"]
    wait_for(Job.objects.filter(pk=restore, status="completed").exists, worker)

    for job in Job.objects.filter(pk__in=[backup, restore]):
        assert job.started - job.created < SOON
    assert path.read_text() == "Dear Ada"


def test_a_sleep_ends_with_the_transaction_that_enqueues():
    with wakeup.light_sleep() as sleep:
        sleep(0)
        with transaction.atomic():
            wake.enqueue()
            assert seconds_of(sleep, 0.2) >= 0.2

        assert seconds_of(sleep, HOUR) < HOUR
        assert seconds_of(sleep, 0.2) >= 0.2


def test_a_task_of_later_wakes_nobody():
    with wakeup.light_sleep() as sleep:
        sleep(0)
        wake.using(run_after=timezone.now() + timedelta(hours=1)).enqueue()

        assert seconds_of(sleep, 0.2) >= 0.2


def test_a_worker_in_another_thread_is_woken():
    woken = threading.Event()

    def work():
        with wakeup.light_sleep() as sleep:
            sleep(0)
            ready.set()
            sleep(HOUR)
            woken.set()
        connection.close()

    ready = threading.Event()
    thread = threading.Thread(target=work)
    thread.start()
    ready.wait(60)

    wake.enqueue()

    thread.join(60)
    assert woken.is_set()


@only_on("postgresql")
def test_a_worker_whose_connection_broke_polls_and_connects_again():
    with wakeup.light_sleep() as sleep:
        sleep(0)
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE query LIKE 'LISTEN%' AND datname = current_database()"
            )
        # The message that says so ends a sleep, and comes when it comes.
        assert any(seconds_of(sleep, 0.2) >= 0.2 for _ in range(10))

        sleep(0)
        wake.enqueue()

        assert seconds_of(sleep, HOUR) < HOUR


@only_on("sqlite")
class TestPipes:
    def test_only_their_user_may_open_them(self, data_dir):
        with wakeup.light_sleep():
            (pipe,) = pipes(data_dir)

            assert stat.S_ISFIFO(pipe.stat().st_mode)
            assert stat.S_IMODE(pipe.stat().st_mode) == 0o600
            assert stat.S_IMODE(pipe.parent.stat().st_mode) == 0o700
        assert pipes(data_dir) == []

    def test_that_of_a_dead_worker_is_removed(self, data_dir):
        (data_dir / "workers").mkdir()
        os.mkfifo(data_dir / "workers" / "dead.pipe")

        wake.enqueue()

        assert pipes(data_dir) == []

    def test_nothing_is_written_through_a_link_or_into_a_file(self, data_dir):
        (data_dir / "workers").mkdir()
        (data_dir / "workers" / "file.pipe").touch()
        (data_dir / "workers" / "link.pipe").symlink_to(data_dir / "other")
        (data_dir / "other").touch()

        wake.enqueue()

        assert (data_dir / "workers" / "file.pipe").read_bytes() == b""
        assert (data_dir / "other").read_bytes() == b""

    def test_a_full_pipe_holds_up_nobody(self):
        with wakeup.light_sleep() as sleep:
            for _ in range(70_000):
                wakeup._wake()

            assert seconds_of(sleep, HOUR) < HOUR

    def test_without_them_a_worker_sleeps_until_it_polls(self, data_dir):
        (data_dir / "workers").touch()

        with wakeup.light_sleep() as sleep:
            wake.enqueue()

            assert seconds_of(sleep, 0.2) >= 0.2
