"""Operations 12 and 13 as a caller sees them, with real archives."""

import io
import random
import subprocess
import tarfile
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from hashlib import sha256

import pytest
from django.db import connection
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from backup_app.engines.archive.download import planner as archive_downloads
from backup_app.exceptions import NotFound
from backup_app.models import Download, Job
from backup_app.services import downloads

from ...support.api_client import client_of, refusal
from ...support.factories import ClientFactory, JobFactory
from ...support.local_backups import back_up, local_client, local_roots, volume_of

pytestmark = pytest.mark.django_db
CHUNK = 10_000


@pytest.fixture(autouse=True)
def small_chunks(settings):
    settings.BACKUP_CHUNK_BYTES = CHUNK


@pytest.fixture
def machine(tmp_path):
    with local_roots(tmp_path):
        yield local_client(tmp_path, name="web 1/ü")


@pytest.fixture
def api(machine):
    return client_of(machine.account)


@pytest.fixture
def backup(tmp_path, machine):
    """A full backup and, upon it, an incremental one."""
    tree = tmp_path / "tree"
    (tree / "kept").write_bytes(random.Random(1).randbytes(25_000))  # noqa: S311
    (tree / "gone").write_bytes(b"gone")
    back_up(machine)
    (tree / "gone").unlink()
    (tree / "new").write_bytes(random.Random(2).randbytes(5_000))  # noqa: S311
    return back_up(machine, "Incremental")


@pytest.fixture
def info(api, backup):
    return lambda: api.post(f"/api/downloadinfo/{backup.pk}/{backup.client.ip}")


@pytest.fixture
def fetch(api, backup):
    return lambda chunk, **headers: api.post(
        f"/api/download/{backup.pk}/{backup.client.ip}/{chunk}", headers=headers
    )


def content(response):
    assert response.status_code in (200, 206), response.content
    return b"".join(response.streaming_content)


class TestDownloadInfo:
    def test_of_a_small_backup_is_ready_at_once(self, info, backup):
        answer = info()

        size = Download.objects.get().size
        assert answer.status_code == 200
        assert answer.json() == {
            "file_name": f"web_1_ü-job-{backup.pk}.tar",
            "size": size,
            "chunks": size // CHUNK + 1,
            "chunk_size": CHUNK,
            "state": "ready",
        }

    def test_is_prepared_once(self, info):
        assert info().json() == info().json()
        assert Download.objects.count() == 1

    def test_of_a_large_backup_is_prepared_by_the_worker(
        self, info, backup, monkeypatch, django_capture_on_commit_callbacks
    ):
        monkeypatch.setattr(archive_downloads, "QUICK", 0)
        with django_capture_on_commit_callbacks(execute=True):
            waiting = info()
        assert (waiting.status_code, waiting["Retry-After"]) == (202, "5")
        assert waiting.json() == {"file_name": f"web_1_ü-job-{backup.pk}.tar", "state": "preparing"}
        assert info().status_code == 202

        (task,) = DBTaskResult.objects.all()
        downloads.prepare(*task.args_kwargs["args"])

        assert (info().status_code, info().json()["state"]) == (200, "ready")

    def test_is_asked_for_again_when_the_worker_was_lost(
        self, info, monkeypatch, settings, django_capture_on_commit_callbacks
    ):
        monkeypatch.setattr(archive_downloads, "QUICK", 0)
        settings.BACKUP_JOB_LOST_SECONDS = 60
        info()
        Download.objects.update(created=timezone.now() - timedelta(seconds=61))

        with django_capture_on_commit_callbacks(execute=True):
            answers = [info().status_code for _ in range(2)]

        assert answers == [202, 202]
        assert DBTaskResult.objects.count() == 1

    def test_that_failed_says_why_and_is_tried_again(self, info, backup):
        Download.objects.create(job=backup, state="failed", message="No row.")

        assert refusal(info()) == (502, f"The download of job {backup.pk} failed: No row.")
        assert info().status_code == 200

    @pytest.mark.parametrize("chunk", ["", "/0"])
    def test_the_job_must_be_the_clients(self, api, backup, machine, chunk):
        other = ClientFactory(account=machine.account, ip="198.51.100.7")
        what = "download" if chunk else "downloadinfo"

        answer = api.post(f"/api/{what}/{backup.pk}/{other.ip}{chunk}")

        assert refusal(answer) == (
            404,
            f"There is no job {backup.pk} of the client with the address '198.51.100.7'.",
        )

    @pytest.mark.parametrize("status", ["running", "failed"])
    def test_a_backup_without_content_is_refused(self, api, machine, status):
        job = JobFactory(client=machine, status=status)

        assert api.post(f"/api/downloadinfo/{job.pk}/{machine.ip}").status_code == 409


class TestDownload:
    def test_the_chunks_are_the_tar_of_the_view(self, info, fetch, tmp_path):
        about = info().json()

        data = b"".join(content(fetch(n)) for n in range(about["chunks"]))

        assert len(data) == about["size"]
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            names = [name for name in tar.getnames() if "tree/" in name]
        tree = str(tmp_path / "tree").lstrip("/")
        assert names == [f"{tree}/kept", f"{tree}/new"]

    def test_any_tar_unpacks_it(self, info, fetch, tmp_path):
        data = b"".join(content(fetch(n)) for n in range(info().json()["chunks"]))
        (tmp_path / "out").mkdir()

        subprocess.run(["tar", "-xf", "-", "-C", tmp_path / "out"], input=data, check=True)

        restored = tmp_path / "out" / str(tmp_path / "tree").lstrip("/")
        for name in ("kept", "new"):
            assert (restored / name).read_bytes() == (tmp_path / "tree" / name).read_bytes()

    def test_a_chunk_tells_of_itself(self, fetch):
        answer = fetch(1)

        data = content(answer)
        digest = sha256(data).hexdigest()
        assert len(data) == CHUNK
        assert {name: answer[name] for name in ("Content-Type", "Content-Length", "ETag")} == {
            "Content-Type": "application/octet-stream",
            "Content-Length": str(CHUNK),
            "ETag": f'"{digest}"',
        }
        assert (answer["X-Chunk-SHA256"], answer["Accept-Ranges"]) == (digest, "bytes")

    def test_needs_no_information_first(self, fetch):
        assert fetch(0).status_code == 200

    def test_the_last_chunk_is_what_is_left(self, info, fetch):
        about = info().json()

        answer = fetch(about["chunks"] - 1)

        assert int(answer["Content-Length"]) == about["size"] % CHUNK
        assert len(content(answer)) == about["size"] % CHUNK

    @pytest.mark.parametrize("more", [0, 1, 10**15])
    def test_there_is_none_behind_it(self, info, fetch, backup, more):
        chunks = info().json()["chunks"]

        assert refusal(fetch(chunks + more)) == (
            404,
            f"Job {backup.pk} has no chunk {chunks + more}: there are {chunks}, from 0.",
        )

    @pytest.mark.parametrize(
        ("header", "start", "stop"),
        [("bytes=0-0", 0, 1), ("bytes=100-299", 100, 300), ("bytes=-50", CHUNK - 50, CHUNK)],
    )
    def test_a_range_of_a_chunk(self, fetch, header, start, stop):
        whole = content(fetch(1))

        answer = fetch(1, range=header)

        assert answer.status_code == 206
        assert content(answer) == whole[start:stop]
        assert answer["Content-Range"] == f"bytes {start}-{stop - 1}/{CHUNK}"
        assert answer["Content-Length"] == str(stop - start)
        assert answer["X-Chunk-SHA256"] == sha256(whole).hexdigest()

    def test_a_range_outside_is_refused(self, fetch):
        answer = fetch(0, range=f"bytes={CHUNK}-")

        assert answer["Content-Range"] == f"bytes */{CHUNK}"
        assert refusal(answer) == (
            416,
            f"The range lies outside the chunk, which has {CHUNK} bytes.",
        )

    def test_a_range_of_another_content_gets_all(self, fetch):
        assert fetch(0, range="bytes=0-9", if_range='"other"').status_code == 200
        assert fetch(0, range="bytes=0-9", if_range=fetch(0)["ETag"]).status_code == 206

    def test_while_it_is_prepared_there_is_none(self, fetch, backup, monkeypatch):
        monkeypatch.setattr(archive_downloads, "QUICK", 0)

        assert refusal(fetch(0)) == (
            409,
            f"The download of job {backup.pk} is still being prepared.",
        )

    def test_a_damaged_volume_is_named(self, info, fetch, backup):
        info()
        volume = volume_of(backup.parent or backup)
        volume.write_bytes(b"\0" * volume.stat().st_size)

        chunks = [fetch(n) for n in range(info().json()["chunks"])]

        refusals = [answer.json()["error"] for answer in chunks if answer.status_code == 502]
        assert refusals
        assert all(str(volume) in refusal for refusal in refusals)

    def test_only_by_post(self, api, backup):
        answer = api.get(f"/api/download/{backup.pk}/{backup.client.ip}/0")

        assert (answer.status_code, answer["Allow"]) == (405, "POST")


@pytest.mark.django_db(transaction=True)
def test_chunks_fetched_at_once_and_out_of_order_are_the_file(info, fetch):
    chunks = info().json()["chunks"]
    one_by_one = [content(fetch(n)) for n in range(chunks)]

    def get(number):
        try:
            return number, content(fetch(number))
        finally:
            connection.close()

    numbers = list(range(chunks)) * 3
    random.Random(3).shuffle(numbers)  # noqa: S311
    with ThreadPoolExecutor(4) as pool:
        fetched = list(pool.map(get, numbers))

    assert [one_by_one[number] for number, _ in fetched] == [data for _, data in fetched]


@pytest.mark.parametrize(
    ("client", "name"),
    [
        ("web1", "web1-job-7.tar"),
        ("web1.example.org", "web1.example.org-job-7.tar"),
        ('a/b\\c"d\r\n', "a_b_c_d-job-7.tar"),
        ("..", "client-job-7.tar"),
    ],
)
def test_the_name_of_the_file_fits_any_system(client, name):
    job = JobFactory.build(pk=7, client=ClientFactory.build(name=client))

    assert downloads.file_name(job) == name


class TestRemovedMeanwhile:
    """A prune, or another request, is quicker: that is a refusal and no fault."""

    @pytest.mark.django_db(transaction=True)
    def test_the_backup(self, backup):
        Job.objects.filter(pk=backup.pk).delete()

        with pytest.raises(NotFound, match="has just been removed"):
            downloads.prepared(backup)

    def test_the_download_while_it_is_prepared(self, backup, monkeypatch):
        def prepare(download_id):
            Download.objects.filter(pk=download_id).delete()

        monkeypatch.setattr(downloads, "prepare", prepare)

        with pytest.raises(NotFound, match="has just been removed"):
            downloads.prepared(backup)

    def test_the_plan_before_it_is_read(self, backup):
        download = downloads.prepared(backup)
        Download.objects.all().delete()

        with pytest.raises(NotFound, match="has just been removed"):
            downloads.read(backup, download, range(10))
