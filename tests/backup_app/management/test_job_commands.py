import datetime as dt

import pytest
from django.utils import timezone

from backup_app.jobs import execute
from backup_app.jobs.worker_id import this_worker
from backup_app.management import started_jobs
from backup_app.models import Job

from ..support.commands import command, worker
from ..support.factories import ClientFactory, FilesetFactory, JobFactory, PoolFactory
from ..support.folder_engine import folder_engine


@pytest.fixture(autouse=True)
def engine(monkeypatch):
    monkeypatch.setattr(started_jobs, "EVERY", 0.02)
    with folder_engine():
        yield


@pytest.fixture
def client(tmp_path):
    """The client db1, whose folder has one file."""
    folder = tmp_path / "client"
    folder.mkdir()
    folder.joinpath("a.txt").write_text("first")
    client = ClientFactory(name="db1", fileset__include=[{"path": str(folder)}])
    client.pool.storage.path = str(tmp_path / "storage")
    client.pool.storage.save()
    return client


@pytest.fixture
def backup(client):
    job = JobFactory(client=client)
    execute.run(job.pk)
    job.refresh_from_db()
    return job


@pytest.mark.django_db
class TestRunBackup:
    def test_it_queues_a_backup(self, client):
        ran = command("run_backup", "db1")

        (job,) = Job.objects.all()
        assert (job.client, job.level, job.requested_by) == (client, "Incremental", "operator")
        assert ran.out == f"Job {job.pk}, Incremental backup of client 'db1', is queued.\n"
        assert ran.error is None

    def test_it_can_be_told_more(self, client):
        FilesetFactory(account=client.account, name="etc")
        PoolFactory(account=client.account, name="long")
        options = "--level=F --fileset=etc --pool=long --format=json".split()

        data = command("run_backup", client.ip, *options).data

        assert (data["level"], data["fileset"], data["pool"]) == ("Full", "etc", "long")

    def test_a_refusal_is_a_sentence(self, client):
        job = JobFactory(client=client)

        assert command("run_backup", "db1").error == (
            f"Client 'db1' already has a backup: job {job.pk} is queued."
        )
        assert command("run_backup", "db2").error == "There is no client 'db2'."
        assert command("run_backup", "db1", "--level=x").error.startswith("Unknown level 'x'")
        assert command("run_backup", "db1", "--pool=x").error == "There is no pool 'x'."

    def test_one_of_several_clients_is_named_with_its_account(self, client):
        other = ClientFactory(name="db1", account__email="bob@example.org")

        assert command("run_backup", "db1").error == (
            "Several clients are named 'db1': choose one with --account EMAIL."
        )
        assert command("run_backup", "db1", "--account=bob@example.org").error is None
        assert Job.objects.get().client == other

    def test_a_deleted_client_is_not_there(self, client):
        client.deleted = timezone.now()
        client.save()

        assert command("run_backup", "db1").error == "There is no client 'db1'."


@pytest.mark.django_db(transaction=True)
class TestWaiting:
    def test_it_waits_until_the_backup_has_ended(self, client):
        with worker():
            ran = command("run_backup", "db1", "--wait")

        (job,) = Job.objects.all()
        assert job.status == "completed"
        assert ran.out == (
            f"Job {job.pk}, Full backup of client 'db1', completed: 1 file, 5 bytes.\n"
        )

    def test_a_backup_that_fails_is_a_failure(self, client):
        client.fileset.include = [{"path": "/nonexistent"}]
        client.fileset.save()

        with worker():
            ran = command("run_backup", "db1", "--wait", "--format=json")

        assert ran.data["status"] == "failed"
        assert ran.error == (
            f"Job {ran.data['job_id']}, Incremental backup of client 'db1', failed: There is no "
            "folder '/nonexistent' on client 'db1'."
        )

    def test_it_says_so_when_no_worker_runs(self, client, monkeypatch):
        monkeypatch.setattr(started_jobs, "START_TIMEOUT", dt.timedelta())

        ran = command("run_backup", "db1", "--wait")

        (job,) = Job.objects.all()
        assert job.status == "queued"
        assert ran.error == (
            f"No worker has started job {job.pk} within 0 seconds. It stays queued: "
            "start one with 'manage.py worker'."
        )

    def test_it_says_so_when_the_worker_died(self, client):
        at_work = {"status": "running", "started": timezone.now(), "seen": timezone.now()}
        job = JobFactory(client=client, worker=this_worker() + "1", **at_work)

        assert started_jobs.follow(job).message == (
            "The worker of this job ended before the job was done."
        )

    def test_it_waits_for_a_worker_that_is_busy(self, client, monkeypatch):
        monkeypatch.setattr(started_jobs, "START_TIMEOUT", dt.timedelta())
        JobFactory(status="running", seen=timezone.now())

        with worker():
            assert command("run_backup", "db1", "--wait").error is None

    def test_a_restore_is_waited_for(self, backup, client, tmp_path):
        path = tmp_path / "client" / "a.txt"

        with worker():
            ran = command("restore", backup.pk, path, f"--to={tmp_path / 'to'}", "--wait")

        assert ran.error is None
        assert (tmp_path / "to" / str(path)[1:]).read_text() == "first"

    def test_a_damaged_backup_is_a_failure(self, backup, tmp_path):
        tmp_path.joinpath(f"storage/volumes/job-{backup.pk}/1").write_text("other")

        with worker():
            ran = command("verify", "--wait")

        assert ran.error.endswith("completed with 1 warning: 1 file, 0 bytes.")


@pytest.mark.django_db
class TestRestore:
    def test_it_queues_a_restore(self, backup, tmp_path):
        ran = command(
            "restore", backup.pk, f"{tmp_path}/client/a.txt/", "--to=/srv", "--format=json"
        )

        (job,) = Job.objects.filter(type="restore")
        assert ran.data["job_id"] == job.pk
        assert (job.parent, job.request["path"], job.requested_by) == (backup, "/srv", "operator")

    def test_it_can_go_to_another_client_of_the_account(self, backup, tmp_path):
        backup.account.email = "ann@example.org"
        backup.account.save()
        ClientFactory(account=backup.account, name="db2")

        command("restore", backup.pk, f"{tmp_path}/client/a.txt", "--client=db2")

        assert Job.objects.get(type="restore").client.name == "db2"

    def test_a_refusal_is_a_sentence(self, backup):
        queued = JobFactory()

        assert command("restore", 0, "/x").error == "There is no job 0."
        assert command("restore", backup.pk, "x").error == "'x' is not an absolute path."
        assert command("restore", backup.pk, "/x").error == f"There is no '/x' in job {backup.pk}."
        assert command("restore", queued.pk, "/x").error == (
            f"Job {queued.pk} (backup, queued) has no content."
        )


@pytest.mark.django_db
class TestVerify:
    def test_what_the_newest_backup_builds_on_is_verified_too(self, backup):
        again = JobFactory(client=backup.client, level="Incremental", status="completed")
        newest = JobFactory(client=backup.client, level="Incremental", status="completed")
        newest.sources.set([backup, newest])
        again.sources.set([backup, again])

        command("verify")

        started = Job.objects.filter(type="verify")
        assert [job.parent for job in started.order_by("parent_id")] == [backup, newest]

    def test_the_newest_backup_of_each_client_is_verified(self, backup):
        JobFactory(client=backup.client, status="failed")
        other = JobFactory(status="warnings")
        JobFactory(client__deleted=timezone.now(), status="completed")

        command("verify")

        started = Job.objects.filter(type="verify")
        assert {job.parent for job in started} == {backup, other}

    def test_backups_can_be_named(self, backup):
        JobFactory(status="completed")

        ran = command("verify", backup.pk, "--format=json")

        assert [job["parent_job_id"] for job in ran.data["jobs"]] == [backup.pk]
