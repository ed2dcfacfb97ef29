import datetime as dt
import re

import pytest
from django.core.management import get_commands, load_command_class
from django.utils import timezone

from backup_app.accounts import api_keys
from backup_app.lib.formatting import format_time
from backup_app.models import ApiKey, Client, Job

from ..jobs.test_retention import DAY, backup
from ..support.commands import command
from ..support.factories import AccountFactory, ClientFactory, JobFactory
from ..support.folder_engine import folder_engine

pytestmark = pytest.mark.django_db
COMMANDS = (
    "create_api_key revoke_api_key run_backup restore verify prune check_storage rebuild_catalog "
    "purge_clients backup_status"
).split()
DELETING = "prune check_storage purge_clients".split()


@pytest.fixture(autouse=True)
def engine():
    with folder_engine():
        yield


@pytest.fixture
def client(tmp_path):
    client = ClientFactory(name="db[1]", pool__storage__name="disk")
    client.pool.storage.path = str(tmp_path)
    client.pool.storage.save()
    return client


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_explains_itself_and_answers_json(name):
    loaded = load_command_class(get_commands()[name], name)

    text = loaded.create_parser("manage.py", name).format_help()

    assert loaded.help.endswith(".")
    assert "--format {text,json}" in text
    assert ("--dry-run" in text) == (name in [*DELETING, "rebuild_catalog"])


class TestApiKeys:
    def test_the_key_alone_is_written(self):
        account = AccountFactory(email="ann@example.org")

        ran = command("create_api_key", "Ann@example.org", "--name=scripts", "--expires=10")

        key = api_keys.find(ran.out.removesuffix("\n"))
        assert (key.account, key.name) == (account, "scripts")
        assert (key.expires - timezone.now()).days == 9
        assert (ran.err, ran.error) == ("", None)

    def test_it_is_revoked_by_its_prefix(self):
        AccountFactory(email="ann@example.org", username="ann")
        data = command("create_api_key", "ann@example.org", "--format=json").data

        ran = command("revoke_api_key", data["prefix"])

        assert ran.out == f"Revoked the API key {data['prefix']} of ann.\n"
        assert api_keys.find(data["key"]) is None

    def test_refusals_are_sentences(self):
        AccountFactory(email="ann@example.org")

        assert command("create_api_key", "bob@example.org").error == (
            "There is no account with the e-mail address 'bob@example.org'."
        )
        for name in ("eve", "mallory"):
            AccountFactory(email="both@example.org", username=name)
        assert command("create_api_key", "both@example.org").error == (
            "There is more than one account with the e-mail address 'both@example.org'."
        )
        assert command("create_api_key", "ann@example.org", "--expires=0").error == (
            "--expires 0 is not a number of days from 1 to 36500."
        )
        assert command("revoke_api_key", "abc").error == (
            "There is no API key with the prefix 'abc'."
        )
        assert not ApiKey.objects.exists()


class TestPrune:
    @pytest.fixture
    def old(self, client):
        old = backup(client, 40, stored_bytes=2000)
        backup(client, 1)
        return old

    def test_it_says_what_it_removed(self, client, old):
        ran = command("prune")

        heads, row, total = ran.out.splitlines()
        assert heads.split() == ["job", "client", "type", "level", "status", "ended", "size"]
        ended = format_time(old.ended)
        assert re.split(r"  +", row) == [
            str(old.pk), "db[1]", "backup", "Full", "completed", ended, "2.0 kB"
        ]  # fmt: skip
        assert total == "Removed 1 job, 2.0 kB."
        assert not Job.objects.filter(pk=old.pk).exists()

    def test_a_dry_run_removes_nothing(self, client, old):
        ran = command("prune", "--dry-run", "--format=json")

        assert ran.data["dry_run"] is True
        assert [(job["job_id"], job["stored_bytes"]) for job in ran.data["removed"]] == [
            (old.pk, 2000)
        ]
        assert Job.objects.count() == 2

    def test_other_clients_can_be_left_out(self, client, old):
        other = ClientFactory(name="db2")

        assert command("prune", "--client=db2").out == "Removed 0 jobs, 0 bytes.\n"
        assert command("prune", f"--account={other.account.email}").out == (
            "Removed 0 jobs, 0 bytes.\n"
        )

    def test_one_that_cannot_be_removed_is_a_failure(self, client, old):
        Job.objects.filter(pk=old.pk).update(engine="gone")

        ran = command("prune")

        assert ran.out == "Removed 0 jobs, 0 bytes.\n"
        assert f"Job {old.pk} could not be removed" in ran.err
        assert ran.error == "1 problem, shown above."

    def test_deleted_clients_are_left_to_purge(self, client, old):
        Client.objects.update(deleted=timezone.now())

        assert command("prune").out == "Removed 0 jobs, 0 bytes.\n"


class TestPurgeClients:
    @pytest.fixture(autouse=True)
    def deleted(self, client):
        backup(client, 40, stored_bytes=2000)
        client.deleted = dt.datetime(2027, 3, 1, tzinfo=dt.UTC)
        client.save()

    def test_it_says_what_it_purged(self, time_machine):
        time_machine.move_to("2027-04-01", tick=False)

        ran = command("purge_clients")

        assert ran.out == (
            "'db[1]', deleted 2027-03-01 00:00:00: 1 backup, 2.0 kB.\nPurged 1 client.\n"
        )
        assert not Client.objects.exists()

    def test_the_operator_can_say_how_long_ago(self, time_machine):
        time_machine.move_to("2027-03-02 01:00:00Z", tick=False)

        assert command("purge_clients").out == "Purged 0 clients.\n"
        assert command("purge_clients", "--days=-1").error == "--days -1 must be 0 or more."
        dry = command("purge_clients", "--days=1", "--dry-run", "--format=json").data
        assert [each["client"] for each in dry["purged"]] == ["db[1]"]
        assert Client.objects.exists()

    def test_an_open_job_is_a_failure(self, client, time_machine):
        time_machine.move_to("2027-04-01", tick=False)
        JobFactory(client=client, type="verify", level=None)

        ran = command("purge_clients")

        assert (ran.out, ran.error) == ("Purged 0 clients.\n", "1 problem, shown above.")


class TestCheckStorage:
    @pytest.fixture
    def orphan(self, client, tmp_path):
        folder = tmp_path / "volumes" / "job-77"
        folder.mkdir(parents=True)
        return folder

    def test_an_orphan_is_named(self, orphan):
        ran = command("check_storage", "disk")

        assert ran.out == "Checked 1 storage: 1 problem.\n"
        assert ran.err == f"disk: {orphan}: No job has this volume.\n"
        assert ran.error == "1 problem, shown above."

    def test_a_storage_in_order_is_no_failure(self, client):
        ran = command("check_storage", "--format=json")

        assert (ran.data, ran.error) == ({"storages": 1, "problems": []}, None)

    def test_an_orphan_is_deleted_when_told(self, orphan):
        command("check_storage", "--delete", "--dry-run")
        assert orphan.exists()

        command("check_storage", "--delete")
        assert not orphan.exists()

    def test_an_unknown_storage_is_refused(self, client):
        assert command("check_storage", "tape").error == "There is no storage 'tape'."


def test_what_comes_back_into_the_catalog_is_named(client):
    job = backup(client, 1)

    assert command("rebuild_catalog").out == (
        f"Job {job.pk}, Full backup of client 'db[1]'.\nRestored 1 job.\n"
    )
    dry = command("rebuild_catalog", "disk", "--dry-run", "--format=json").data
    assert ([each["job_id"] for each in dry["jobs"]], dry["dry_run"]) == ([job.pk], True)


def test_nothing_comes_back_without_a_storage():
    ran = command("rebuild_catalog")

    assert ran.error == ("There is no storage: name the folder of one with --path FOLDER.")


class TestBackupStatus:
    @pytest.mark.parametrize(("days", "age"), [(3 / 24, "3 hours"), (1 / 48, "30 minutes")])
    def test_each_client_has_a_line(self, client, days, age):
        job = backup(client, days, stored_bytes=2000)

        ran = command("backup_status")

        heads, row = ran.out.splitlines()
        assert re.split(r"  +", heads) == ["client", "last good backup", "age", "size", "state"]
        assert re.split(r"  +", row) == [
            "db[1]", format_time(job.ended), age, "2.0 kB", "ok"
        ]  # fmt: skip
        assert ran.error is None

    def test_an_overdue_backup_is_a_failure(self, client):
        job = backup(client, 2)

        ran = command("backup_status", "--format=json")

        (found,) = ran.data["clients"]
        assert (found["state"], found["job_id"]) == ("overdue", job.pk)
        assert found["age_seconds"] // 60 == 48 * 60
        assert ran.error == "1 client overdue."

    def test_a_client_without_a_backup_waits(self, client):
        row = command("backup_status").out.splitlines()[1]

        assert re.split(r"  +", row) == ["db[1]", "none", "0 bytes", "waiting"]

    def test_other_accounts_can_be_left_out(self, client):
        backup(client, 2)
        other = ClientFactory()

        ran = command("backup_status", f"--account={other.account.email}")

        assert ran.error is None
        assert DAY.days == len(ran.out.splitlines()) - 1
