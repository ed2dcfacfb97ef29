from contextlib import nullcontext
from datetime import datetime, timedelta
from types import SimpleNamespace

import pytest
from django.test import override_settings
from django.utils import timezone

from backup_app.exceptions import EngineError
from backup_app.models import Download
from backup_app.services import downloads

from ..support.factories import JobFactory
from ..support.folder_engine import FolderEngine

pytestmark = pytest.mark.django_db


class Planner(FolderEngine):
    def plan_download(self, job, tick=lambda: None):
        return 1024, b"plan of %d" % job.pk


class Refusing(FolderEngine):
    def plan_download(self, job, tick=lambda: None):
        raise EngineError(f"The volume of job {job.pk} is lost.")


class Broken(FolderEngine):
    def plan_download(self, job, tick=lambda: None):
        raise ZeroDivisionError


class Slow(FolderEngine):
    """Has worked for ten minutes; its plan is the time of its last heartbeat."""

    def plan_download(self, job, tick=lambda: None):
        Download.objects.update(created=timezone.now() - timedelta(minutes=10))
        tick()
        return 1024, Download.objects.get().created.isoformat().encode()


class Zeros(FolderEngine):
    """Has a tar of zeros."""

    def open_download(self, job, plan):
        return nullcontext(SimpleNamespace(read=lambda start, length: [bytes(length)]))


class Short(FolderEngine):
    """Has less of the tar than it planned."""

    def open_download(self, job, plan):
        return nullcontext(SimpleNamespace(read=lambda start, length: [b"short"]))


def prepared(engine, **fields):
    download = Download.objects.create(job=JobFactory(status="completed"), **fields)
    with override_settings(
        BACKUP_ENGINES={"default": {"BACKEND": f"{__name__}.{engine.__name__}"}}
    ):
        downloads.prepare_download.call(download.pk)
    download.refresh_from_db()
    return download


class TestPrepareDownload:
    def test_the_plan_is_stored(self):
        download = prepared(Planner)

        assert (download.state, download.size) == ("ready", 1024)
        assert bytes(download.plan) == b"plan of %d" % download.job_id

    def test_a_refusal_is_told(self):
        download = prepared(Refusing)

        assert download.state == "failed"
        assert download.message == f"The volume of job {download.job_id} is lost."

    def test_a_fault_is_in_the_servers_log_only(self, caplog):
        download = prepared(Broken)

        assert download.message.startswith("The download could not be prepared")
        assert caplog.records[0].exc_info[0] is ZeroDivisionError

    def test_a_long_preparation_calls_tick(self, monkeypatch):
        monkeypatch.setattr(downloads, "PULSE_SECONDS", 0)
        before = timezone.now()

        download = prepared(Slow)

        assert datetime.fromisoformat(bytes(download.plan).decode()) > before

    def test_one_that_is_ready_stays_as_it_is(self):
        assert prepared(Planner, state="ready", size=7).size == 7

    def test_one_that_was_removed_does_nothing(self):
        downloads.prepare_download.call(0)


def test_a_tar_that_ends_too_early_is_refused():
    job = JobFactory(status="completed")
    download = Download.objects.create(job=job, state="ready", size=9, plan=b"x")

    with (
        override_settings(BACKUP_ENGINES={"default": {"BACKEND": f"{__name__}.Short"}}),
        pytest.raises(EngineError, match="ends too early, at byte 7"),
    ):
        downloads.read(job, download, range(2, 9))


def test_few_chunks_at_once_are_in_memory():
    job = JobFactory(status="completed")
    download = Download.objects.create(job=job, state="ready", size=9, plan=b"x")

    with override_settings(BACKUP_ENGINES={"default": {"BACKEND": f"{__name__}.Zeros"}}):
        chunks = [downloads.read(job, download, range(9)) for _ in range(downloads.AT_ONCE + 1)]

    on_disk = [chunk.file.name is not None for chunk in chunks]
    assert on_disk == [*[False] * downloads.AT_ONCE, True]
    assert [b"".join(chunk.blocks(0, 9)) for chunk in chunks] == [bytes(9)] * len(chunks)


def test_files_of_an_engine_that_cannot_be_created_are_left_alone(settings):
    settings.BACKUP_ENGINES = {"default": {"BACKEND": "nothing.Engine"}}

    assert downloads.tidy() == 0
