import threading

import pytest
from django.db import connection
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from backup_app.engines.base import Selection
from backup_app.exceptions import Invalid, NotFound, WrongState
from backup_app.jobs import control
from backup_app.models import Job

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

    def test_another_fileset_and_pool_can_be_named(self):
        client = ClientFactory()
        fileset = FilesetFactory(account=client.account)
        pool = PoolFactory(account=client.account)

        job = control.start_backup(client, fileset=fileset, pool=pool, by="ann")

        assert (job.fileset, job.pool, job.storage) == (fileset, pool, pool.storage)

    @pytest.mark.parametrize("name", ["fileset", "pool"])
    def test_what_is_another_accounts_is_refused(self, name):
        client = ClientFactory()
        other = {"fileset": FilesetFactory, "pool": PoolFactory}[name](name="theirs")

        with pytest.raises(Invalid) as refusal:
            control.start_backup(client, **{name: other}, by="ann")

        assert refusal.value.fields == {name: [f"There is no {name} 'theirs' in this account."]}

    @pytest.mark.parametrize("status", ["queued", "running", "canceling"])
    def test_a_second_one_of_a_client_is_refused_naming_the_first(self, status):
        first = JobFactory(status=status)

        with pytest.raises(WrongState) as refusal:
            control.start_backup(first.client, by="ann")

        assert str(refusal.value) == (
            f"Client '{first.client}' already has a backup: job {first.pk} is {status}."
        )

    def test_a_restore_at_work_is_no_hindrance(self):
        restore = JobFactory(type="restore", level=None, status="running")

        assert control.start_backup(restore.client, by="ann").status == "queued"

    def test_two_at_once_are_one(self, monkeypatch):
        first = JobFactory(status="queued")
        checks = iter([lambda client: None, control._require_no_open_backup])
        monkeypatch.setattr(control, "_require_no_open_backup", lambda client: next(checks)(client))

        with pytest.raises(WrongState, match=f"job {first.pk} is queued"):
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


@pytest.mark.parametrize("text", ["", "x", "fu", "fulll"])
def test_another_level_is_refused(text):
    with pytest.raises(Invalid) as refusal:
        control.level_named(text)

    allowed = "full, incremental or differential, or F, I or D"
    assert refusal.value.fields == {"level": [f"Unknown level '{text}': it must be {allowed}."]}


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

    def test_it_can_go_to_another_client_of_the_account(self, backup):
        other = ClientFactory(account=backup.account)

        assert control.start_restore(backup, other, ONE_FILE, by="ann").client == other

    def test_another_accounts_client_is_refused(self, backup):
        other = ClientFactory(name="theirs")

        with pytest.raises(Invalid, match="There is no client 'theirs' in this account"):
            control.start_restore(backup, other, ONE_FILE, by="ann")

    @pytest.mark.parametrize("path", [b"srv", b"/srv/../etc", b"/srv/\0"])
    def test_a_destination_that_could_lead_elsewhere_is_refused(self, backup, path):
        with pytest.raises(Invalid) as refusal:
            control.start_restore(backup, backup.client, ONE_FILE, path=path, by="ann")

        assert list(refusal.value.fields) == ["path"]

    def test_nothing_selected_is_refused(self, backup):
        with pytest.raises(Invalid, match=r"^Nothing to restore"):
            control.start_restore(backup, backup.client, Selection(), by="ann")

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


class TestStartDatabaseRestore:
    @pytest.fixture(autouse=True)
    def dumps(self, backup):
        backup.fileset.databases = [
            {"kind": "mysql", "name": "shop"},
            {"kind": "mysql", "name": "absent"},
        ]

    def test_it_is_queued_with_its_database(self, backup):
        job = control.start_database_restore(backup, backup.client, "shop", "mysql", "ann")

        assert (job.type, job.status, job.parent) == ("restore", "queued", backup)
        assert job.request == {"database": {"database": "shop", "kind": "mysql"}}

    def test_a_dump_that_is_not_in_the_backup_is_unknown(self, backup):
        with pytest.raises(NotFound, match="has no dump of 'blog'"):
            control.start_database_restore(backup, backup.client, "blog", "mysql", "ann")

    def test_a_database_that_is_not_on_the_server_is_refused(self, backup):
        with pytest.raises(WrongState, match="There is no database 'absent'"):
            control.start_database_restore(backup, backup.client, "absent", "mysql", "ann")

        assert not Job.objects.filter(type="restore").exists()


def test_a_verification_is_queued(backup):
    job = control.start_verify(backup, "ann")

    assert (job.type, job.status, job.parent, job.client) == (
        "verify",
        "queued",
        backup,
        backup.client,
    )


class TestCancel:
    def test_a_queued_job_is_canceled_at_once(self):
        job = control.cancel(JobFactory(status="queued"), "ann")

        assert (job.status, job.message) == ("canceled", "Canceled by ann.")
        assert job.ended is not None
        assert [str(line) for line in job.log.all()] == ["Canceled by ann."]

    def test_a_running_job_is_told_to_end(self):
        job = control.cancel(JobFactory(status="running"), "ann")

        assert (job.status, job.ended) == ("canceling", None)
        assert [str(line) for line in job.log.all()] == ["ann requested to cancel the job."]

    def test_canceling_again_changes_nothing(self):
        job = JobFactory(status="canceling")

        assert control.cancel(job, "ann").status == "canceling"

    @pytest.mark.parametrize("status", ["completed", "warnings", "failed", "canceled"])
    def test_a_job_that_has_ended_is_refused(self, status):
        job = JobFactory(status=status)

        with pytest.raises(WrongState, match=rf"^Job {job.pk} has ended: it is {status}\.$"):
            control.cancel(job, "ann")


@pytest.mark.django_db(transaction=True)
def test_of_several_started_together_one_is_queued():
    client = ClientFactory()
    start, results = threading.Barrier(4), []

    def ask():
        start.wait()
        try:
            results.append(control.start_backup(client, by="ann").status)
        except WrongState:
            results.append("refused")
        connection.close()

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(results) == ["queued", "refused", "refused", "refused"]
    assert queued() == [[Job.objects.get().pk]]
