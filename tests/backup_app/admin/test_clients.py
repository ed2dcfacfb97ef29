"""Clients, their jobs and mailboxes in the admin: made, changed and refused as by the API."""

import pytest
from django.db.models import signals
from django.urls import reverse

from backup_app.models import AuditEntry, Client, Mailbox

from ..support.admin_pages import act, add, change, done, errors, said
from ..support.answering_engine import answering_engine
from ..support.factories import (
    AccountFactory,
    ClientFactory,
    FilesetFactory,
    JobFactory,
    PoolFactory,
    ZoneFactory,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("staff")]
HOST_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJx9pYlXjFVbaQAm4TuLPDcJHDcIXQ8kAnhxaGAQhVmj"


class TestClients:
    @pytest.fixture(autouse=True)
    def engine(self):
        with answering_engine():
            yield

    @pytest.fixture
    def pool(self, account):
        return PoolFactory(account=account)

    @pytest.fixture
    def sent(self, account, pool):
        return {
            "account": account.pk,
            "name": "web1",
            "ip": "192.0.2.10",
            "zone": pool.storage.zone_id,
            "pool": pool.pk,
            "fileset": FilesetFactory(account=account).pk,
            "system": "unix",
            "connection": "local",
            "ssh_user": "root",
            "ssh_port": 22,
            "agent_port": 9102,
        }

    def test_one_of_this_machine_is_made(self, client, sent, account):
        done(add(client, Client, sent | {"schedule": " 30  2 * * * ", "host_key": HOST_KEY}))

        made = Client.objects.get()
        assert (made.account, made.name, made.ip) == (account, "web1", "192.0.2.10")
        assert (made.connection, made.schedule) == ("local", "30 2 * * *")
        page = client.get(reverse("admin:backup_app_client_change", args=[made.pk]))
        assert "ssh-ed25519 SHA256:" in page.content.decode()

    def test_one_that_another_request_makes_meanwhile_is_said(self, client, sent, pool):
        def win(sender, instance, **kwargs):
            if instance.name == "web1":
                signals.pre_save.disconnect(win, Client)
                ClientFactory(account=instance.account, name="other", pool=pool)
                Client.objects.filter(name="other").update(name="web1")

        signals.pre_save.connect(win, Client)
        response = add(client, Client, sent)

        assert (response.status_code, Client.objects.filter(ip=sent["ip"]).count()) == (302, 0)
        assert said(client, response) == [
            "Another request has just saved a conflicting client. Nothing was saved."
        ]

    @pytest.mark.parametrize(
        ("fields", "named"),
        [
            ({"name": ""}, {"name"}),
            ({"name": "a/b"}, {"name"}),
            ({"name": "192.0.2.99"}, {"name"}),
            ({"ip": "300.1.1.1"}, {"ip"}),
            ({"schedule": "daily"}, {"schedule"}),
            ({"schedule": "0 0 30 2 *"}, {"schedule"}),
            ({"schedule": "daily", "ip": "x", "ssh_port": "x"}, {"schedule", "ip", "ssh_port"}),
            ({"host_key": "ssh-rsa nonsense"}, {"host_key"}),
            ({"host_key": "example.org ssh-ed25519 AAAA"}, {"host_key"}),
            ({"ssh_port": "0"}, {"ssh_port"}),
            ({"agent_port": "65536"}, {"agent_port"}),
            ({"connection": "agent"}, {"connection"}),
            ({"account": ""}, {"account"}),
            ({"pool": ""}, {"pool"}),
            ({"fileset": ""}, {"fileset"}),
            ({"zone": ""}, {"zone"}),
            ({"system": "beos"}, {"system"}),
        ],
    )
    def test_a_wrong_one_is_refused(self, client, sent, fields, named):
        assert set(errors(add(client, Client, sent | fields))) == named
        assert not Client.objects.exists()

    def test_pool_and_fileset_of_another_account_are_refused(self, client, sent):
        others = {"pool": PoolFactory().pk, "fileset": FilesetFactory().pk}

        assert set(errors(add(client, Client, sent | others))) == {"pool", "fileset"}

    def test_a_zone_that_is_not_the_pools_is_refused(self, client, sent):
        response = add(client, Client, sent | {"zone": ZoneFactory().pk})

        assert "', not in 'zone" in errors(response)["__all__"][0]

    def test_a_name_or_address_that_the_account_has_is_refused(self, client, sent, account):
        ClientFactory(account=account, name="web1")
        other = ClientFactory(account=account, ip="192.0.2.77")

        assert set(errors(add(client, Client, sent))) == {"name"}
        taken = sent | {"name": "web2", "ip": "192.0.2.77"}
        assert errors(add(client, Client, taken)) == {
            "__all__": [f"Client '{other}' already has the address '192.0.2.77'."]
        }

    def test_what_a_deleted_client_had_is_free(self, client, sent, account):
        ClientFactory(account=account, name="web1", ip="192.0.2.10", deleted="2027-01-01T00:00Z")

        done(add(client, Client, sent))

    def test_it_is_renamed_and_stays_with_its_account(self, client, sent, account):
        done(add(client, Client, sent))
        made = Client.objects.get()

        done(change(client, made, sent | {"name": "web2", "account": AccountFactory().pk}))

        made.refresh_from_db()
        assert (made.name, made.account) == ("web2", account)

    def test_it_is_deleted_and_brought_back_from_the_list(self, client, sent):
        made = ClientFactory()
        chosen = {"_selected_action": [made.pk]}
        address = reverse("admin:backup_app_client_changelist")

        response = client.post(address, chosen | {"action": "mark_deleted"})
        assert said(client, response) == ["Deleted: 1 client."]
        assert not Client.objects.present().exists()
        assert change(client, made, sent).status_code == 403

        client.post(f"{address}?state=deleted", chosen | {"action": "undelete"})
        assert Client.objects.present().exists()

    def test_one_with_a_job_is_not_deleted(self, client):
        job = JobFactory(client__name="web1")

        response = act(client, "mark_deleted", job.client)

        assert said(client, response) == [
            f"Client 'web1' has job {job.pk}, queued. Cancel it first."
        ]
        assert Client.objects.present().exists()

    @pytest.mark.parametrize(
        ("action", "level"), [("back_up", "Incremental"), ("back_up_fully", "Full")]
    )
    def test_it_is_backed_up_now(self, client, staff, action, level):
        made = ClientFactory()

        response = act(client, action, made)

        job = made.jobs.get()
        assert (job.level, job.requested_by, job.status) == (level, staff.username, "queued")
        assert said(client, response) == ["Backup started: 1 client."]
        (sentence,) = said(client, act(client, action, made))
        assert sentence.endswith(f"already has a backup: job {job.pk} is queued.")


class TestJobs:
    def test_a_queued_one_is_canceled(self, client, staff):
        job = JobFactory()

        act(client, "cancel", job)

        job.refresh_from_db()
        assert job.status == "canceled"
        entry = AuditEntry.objects.get()
        assert (entry.account, entry.login) == (job.account, staff.username)
        assert (entry.operation, entry.target) == ("admin: change job", str(job))
        assert (entry.outcome, entry.detail) == ("done", "Cancellation requested.")

    def test_a_backup_is_verified(self, client):
        job = JobFactory(status="completed")

        act(client, "verify", job)

        assert job.children.get().type == "verify"

    def test_a_long_log_has_pages(self, client):
        job = JobFactory(status="failed")
        job.log.bulk_create(job.log.model(job=job, message=f"Line {n}.") for n in range(250))
        address = reverse("admin:backup_app_job_change", args=[job.pk])

        first = client.get(address).content.decode()
        third = client.get(address, {"log-page": 3}).content.decode()

        assert "Line 99." in first
        assert "Line 100." not in first
        assert "Line 249." in third


class TestMailboxes:
    def test_one_is_made_in_lower_case(self, client):
        made = ClientFactory()
        sent = {"client": made.pk, "mailbox": "Ada@Example.org", "store_path": "/srv/ada.edb"}

        done(add(client, Mailbox, sent))

        assert Mailbox.objects.get().mailbox == "ada@example.org"
        assert errors(add(client, Mailbox, sent | {"mailbox": "ADA@example.org"}))

    def test_an_invalid_address_is_refused(self, client):
        sent = {"client": ClientFactory().pk, "mailbox": "ada"}

        assert set(errors(add(client, Mailbox, sent))) == {"mailbox"}
