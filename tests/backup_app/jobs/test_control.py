import pytest
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from backup_app.engines.values import Selection
from backup_app.exceptions import Invalid, NotFound, WrongState
from backup_app.jobs import control
from backup_app.models import Job
from backup_app.services.rules import commands
from tests.support.concurrency import call_together

from ..support.answering_engine import answering_engine
from ..support.factories import ClientFactory, FilesetFactory, JobFactory, PoolFactory
from ..support.folder_engine import folder_engine

pytestmark = pytest.mark.django_db
ONE_FILE = Selection(files=[(7, b"/etc/hosts")])


@pytest.fixture(autouse=True)
def engine():
    with folder_engine():
        yield


@pytest.fixture
def backup():
    return JobFactory(status="completed")


def queued():
    return [task.args_kwargs["args"] for task in DBTaskResult.objects.order_by("enqueued_at")]


class TestStartBackup:
    def test_it_is_queued_with_what_the_client_has(self):
        client = ClientFactory()

        job = control.start_backup(client, by="ann")

        job.refresh_from_db()
        assert (job.type, job.level, job.status) == ("backup", "Incremental", "queued")
        assert (job.account, job.client, job.fileset) == (client.account, client, client.fileset)
        assert (job.pool, job.storage) == (client.pool, client.pool.storage)
        assert (job.engine, job.name, job.requested_by) == ("default", client.name, "ann")

    def test_the_worker_hears_of_it_once_it_is_committed(self, django_capture_on_commit_callbacks):
        with django_capture_on_commit_callbacks(execute=True):
            job = control.start_backup(ClientFactory(), by="ann")
            assert queued() == []

        assert queued() == [[job.pk]]

    @pytest.mark.parametrize("name", ["fileset", "pool"])
    def test_what_is_another_accounts_is_refused(self, name):
        client = ClientFactory()
        other = {"fileset": FilesetFactory, "pool": PoolFactory}[name](name="theirs")

        with pytest.raises(Invalid) as refusal:
            control.start_backup(client, **{name: other}, by="ann")

        assert refusal.value.fields == {name: [f"There is no {name} 'theirs' in this account."]}

    def test_a_backup_can_start_during_a_restore(self):
        restore = JobFactory(type="restore", level=None, status="running")

        assert control.start_backup(restore.client, by="ann").status == "queued"

    def test_two_at_once_are_one(self, monkeypatch):
        first = JobFactory(status="queued")
        monkeypatch.setattr(control, "_require_no_open_backup", lambda client: None)

        with pytest.raises(WrongState, match="has just been started"):
            control.start_backup(first.client, by="ann")

        assert Job.objects.count() == 1

    def test_a_deleted_client_is_refused(self):
        client = ClientFactory(name="db1", deleted=timezone.now())

        with pytest.raises(WrongState, match=r"^Client 'db1' is deleted\.$"):
            control.start_backup(client, by="ann")

    def test_a_machine_that_the_engine_cannot_back_up_is_refused(self):
        client = ClientFactory(name="pc1", system="windows")

        with pytest.raises(WrongState) as refusal:
            control.start_backup(client, by="ann")

        assert str(refusal.value) == (
            "The engine 'default' cannot back up windows machines such as 'pc1'."
        )

    def test_a_pool_that_is_full_is_refused(self, backup):
        Job.objects.update(stored_bytes=100)
        backup.pool.quota_bytes = 101
        control._require_space(backup.pool)
        backup.pool.quota_bytes = 100

        with pytest.raises(WrongState) as refusal:
            control.start_backup(backup.client, pool=backup.pool, by="ann")

        assert str(refusal.value) == (
            f"Pool '{backup.pool}' is full: it holds 100 bytes of its quota of 100."
        )


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("full", "Full"),
        ("F", "Full"),
        ("f", "Full"),
        ("Incremental", "Incremental"),
        ("i", "Incremental"),
        ("DIFFERENTIAL", "Differential"),
        ("D", "Differential"),
        (" d ", "Differential"),
    ],
)
def test_levels_have_names_and_letters(text, level):
    assert control.level_named(text) == level


class TestStartRestore:
    def test_it_is_queued_with_what_was_selected(self, backup):
        selection = Selection(nodes=[(3, b"/srv")], files=[(7, b"/etc/hosts"), (8, b"/etc/motd")])

        job = control.start_restore(backup, backup.client, selection, path=b"/mnt//x/.", by="ann")

        assert (job.type, job.level, job.status, job.parent) == ("restore", None, "queued", backup)
        assert job.request == {"nodes": [3], "files": [7, 8], "path": "/mnt/x"}
        assert (job.engine, job.storage, job.pool) == ("default", backup.storage, backup.pool)

    def test_nobody_fills_the_queue_with_restores(self, backup, monkeypatch):
        monkeypatch.setattr(control, "MAX_RESTORES", 2)
        for _ in range(2):
            control.start_restore(backup, backup.client, ONE_FILE, by="ann")

        with pytest.raises(WrongState, match="already has 2 restores queued or running"):
            control.start_restore(backup, backup.client, ONE_FILE, by="ann")

        Job.objects.filter(type="restore").update(status="canceled")
        assert control.start_restore(backup, backup.client, ONE_FILE, by="ann").status == "queued"

    @pytest.mark.django_db(transaction=True)
    def test_a_backup_that_is_removed_meanwhile_is_unknown(self, backup):
        Job.objects.all().delete()

        with pytest.raises(NotFound, match=f"Backup {backup.pk} has just been removed"):
            control.start_restore(backup, backup.client, ONE_FILE, by="ann")

    def test_another_accounts_client_is_refused(self, backup):
        other = ClientFactory(name="theirs")

        with pytest.raises(Invalid, match="There is no client 'theirs' in this account"):
            control.start_restore(backup, other, ONE_FILE, by="ann")

    @pytest.mark.parametrize("status", ["queued", "running", "canceling", "failed", "canceled"])
    def test_a_backup_without_content_is_refused(self, status):
        job = JobFactory(status=status)

        with pytest.raises(WrongState) as refusal:
            control.start_restore(job, job.client, ONE_FILE, by="ann")

        assert str(refusal.value) == (f"Job {job.pk} (backup, {status}) has no content.")

    def test_a_restore_cannot_be_restored(self, backup):
        restore = JobFactory(type="restore", level=None, status="completed")

        with pytest.raises(WrongState, match=r"\(restore, completed\) has no content"):
            control.start_restore(restore, restore.client, ONE_FILE, by="ann")


def test_a_verification_is_queued(backup):
    job = control.start_verify(backup, "ann")

    assert (job.type, job.status, job.parent, job.client) == (
        "verify",
        "queued",
        backup,
        backup.client,
    )


class TestOtherEngines:
    def test_one_without_databases_restores_none(self, backup):
        with answering_engine(), pytest.raises(WrongState, match="does not support databases"):
            control.start_database_restore(backup, backup.client, "shop", "mysql", "ann")

    def test_one_without_commands_runs_none(self):
        with pytest.raises(WrongState, match="does not support commands"):
            commands.run(ClientFactory(), "uptime")


class TestCancel:
    def test_a_queued_job_is_canceled_at_once(self):
        job = control.cancel(JobFactory(status="queued"), "ann")

        assert (job.status, job.message) == ("canceled", "Canceled by ann.")
        assert job.ended is not None
        assert [str(line) for line in job.log.all()] == ["Canceled by ann."]

    def test_a_running_job_is_told_to_end(self):
        job = control.cancel(JobFactory(status="running"), "ann")

        assert (job.status, job.ended) == ("canceling", None)
        assert [str(line) for line in job.log.all()] == ["ann requested cancellation."]

    def test_canceling_again_changes_nothing(self):
        job = JobFactory(status="canceling")

        assert control.cancel(job, "ann").status == "canceling"


@pytest.mark.django_db(transaction=True)
def test_of_several_started_together_one_is_queued():
    client = ClientFactory()
    results = call_together(lambda number: control.start_backup(client, by="ann"), 4)

    assert sum(isinstance(result, WrongState) for result in results) == 3
    assert queued() == [[Job.objects.get(status="queued").pk]]
