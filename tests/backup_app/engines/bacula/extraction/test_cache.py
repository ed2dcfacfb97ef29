"""What stays of downloads and what does not; no Bacula is needed for it."""

import os
import signal
import subprocess
import sys
import time

import pytest

from backup_app.engines.bacula import BaculaEngine
from backup_app.engines.bacula.extraction import download as downloads
from backup_app.engines.bacula.extraction.cache import GRACE, DownloadCache
from backup_app.exceptions import EngineError, NotFound
from backup_app.models import Download
from backup_app.models.job import DOWNLOADED_WITHIN
from backup_app.services.downloads import tidy

from ....support.factories import JobFactory

pytestmark = pytest.mark.django_db
# Makes a folder of work as ``DownloadCache`` does, and holds it until it is killed.
DIES = """
import fcntl, pathlib, sys
folder = pathlib.Path(sys.argv[1])
(folder / "files" / "deep").mkdir(parents=True)
(folder / "files" / "deep" / "file").write_text("half")
lock = (folder / "lock").open("wb")
fcntl.flock(lock, fcntl.LOCK_EX)
print("held", flush=True)
input()
"""


@pytest.fixture
def spool(settings, tmp_path):
    settings.BACKUP_ROOT = str(tmp_path)
    return DownloadCache("default")


@pytest.fixture
def engine():
    return BaculaEngine()


def made(spool, job, content=b"tar"):
    """Make a tar as a preparation does; return its plan."""
    with spool.work(job.pk) as work:
        work.tar.write_bytes(content)
        size, plan = work.finish()
    assert size == len(content)
    return plan


def ready(spool, **fields):
    job = JobFactory(type="backup", status="completed", **fields)
    return Download.objects.create(job=job, state="ready", size=3, plan=made(spool, job))


def age(path, seconds):
    then = time.time() - seconds
    os.utime(path, (then, then))


def names(spool):
    return sorted(path.name for path in spool.folder.iterdir())


def test_what_is_read_stays(spool, engine):
    download = ready(spool)
    age(spool.folder / download.plan.decode(), DOWNLOADED_WITHIN.total_seconds() + 10)
    with downloads.open_tar(engine, download.job, download.plan) as ranges:
        assert list(ranges.read(1, 100)) == [b"ar"]

    assert downloads.tidy(engine) == 0

    assert names(spool) == [download.plan.decode()]
    assert Download.objects.get() == download


def test_what_nobody_reads_for_a_day_goes_with_its_download(spool, engine):
    download, other = ready(spool), ready(spool)
    age(spool.folder / download.plan.decode(), DOWNLOADED_WITHIN.total_seconds() + 10)

    assert downloads.tidy(engine) == 1

    assert names(spool) == [other.plan.decode()]
    assert list(Download.objects.all()) == [other]


def test_the_downloads_of_another_engine_are_none_of_its_business(spool, engine):
    download = ready(spool, engine="other")
    download.plan = made(DownloadCache("other"), download.job)
    download.save()
    age(
        DownloadCache("other").folder / download.plan.decode(),
        DOWNLOADED_WITHIN.total_seconds() + 10,
    )

    downloads.tidy(engine)

    assert names(DownloadCache("other")) == [download.plan.decode()]
    assert Download.objects.get() == download


def test_what_no_download_wants_goes_unless_it_is_new(spool, engine):
    old, new = (made(spool, JobFactory()) for _ in "ab")
    age(spool.folder / old.decode(), GRACE + 10)

    assert downloads.tidy(engine) == 1

    assert names(spool) == [new.decode()]


def test_what_a_killed_preparation_left_goes_and_one_at_work_stays(spool, engine):
    spool.folder.mkdir(parents=True)
    folder = spool.folder / "7-0123456789abcdef.work"
    command = [sys.executable, "-c", DIES, folder]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"held\n"
        age(folder, GRACE + 10)
        assert downloads.tidy(engine) == 0
        assert names(spool) == [folder.name]
        process.send_signal(signal.SIGKILL)

    assert downloads.tidy(engine) == 1
    assert names(spool) == []


def test_what_was_removed_by_hand_is_made_again(spool, engine):
    download = ready(spool)
    (spool.folder / download.plan.decode()).unlink()

    with pytest.raises(NotFound, match=f"job {download.job_id} has been removed. Ask for it again"):
        downloads.open_tar(engine, download.job, download.plan)

    assert not Download.objects.exists()


def test_upkeep_removes_what_nobody_wants(spool, settings):
    backend = "backup_app.engines.bacula.BaculaEngine"
    settings.BACKUP_ENGINES = {"default": {"BACKEND": backend}, "none": {"BACKEND": "no.Engine"}}
    plan = made(spool, JobFactory())
    age(spool.folder / plan.decode(), GRACE + 10)

    assert tidy() == 1

    assert names(spool) == []


def test_the_tar_goes_with_its_job(spool, engine):
    one, other = ready(spool), ready(spool)

    downloads.remove(engine, one.job)
    downloads.remove(engine, one.job)

    assert names(spool) == [other.plan.decode()]


@pytest.mark.parametrize(
    "plan",
    [b"../secret.key", b"/etc/passwd", b"", b"1-0123456789abcdef.tar/../../secret.key", b"a\0b"],
)
def test_a_plan_opens_nothing_else(spool, engine, plan):
    (spool.folder.parent / "secret.key").parent.mkdir(parents=True)
    (spool.folder.parent / "secret.key").write_text("secret")

    with pytest.raises(EngineError, match="plan of the download is damaged"):
        downloads.open_tar(engine, JobFactory(), plan)


def test_a_link_in_the_place_of_a_tar_is_not_followed(spool, engine, tmp_path):
    download = ready(spool)
    path = spool.folder / download.plan.decode()
    path.unlink()
    path.symlink_to("/etc/passwd")

    with pytest.raises(EngineError, match=f"job {download.job_id} cannot be read: Too many levels"):
        downloads.open_tar(engine, download.job, download.plan)


def test_without_a_folder_there_is_nothing_to_tidy(spool, engine):
    assert downloads.tidy(engine) == 0


def test_a_folder_that_cannot_be_made_is_told(spool, tmp_path):
    (tmp_path / "bacula").write_text("a file")

    refusal = pytest.raises(EngineError, match=r"job 7 cannot be created in '.*': Not a directory")
    with refusal, spool.work(7):
        pass
