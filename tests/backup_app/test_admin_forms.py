"""The pages of the admin: what they make, change and refuse, as the API does."""

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from backup_app import authentication, keys, subusers
from backup_app.models import (
    ApiKey,
    AuditEntry,
    Client,
    Fileset,
    Grant,
    Mailbox,
    Pool,
    Storage,
    Subuser,
    Zone,
)

from .answering import answering_engine
from .factories import (
    AccountFactory,
    ClientFactory,
    FilesetFactory,
    JobFactory,
    PoolFactory,
    StorageFactory,
    SubuserFactory,
    ZoneFactory,
)

pytestmark = pytest.mark.django_db

HOST_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJx9pYlXjFVbaQAm4TuLPDcJHDcIXQ8kAnhxaGAQhVmj"
STRONG = "correct horse battery"


@pytest.fixture(autouse=True)
def staff(client):
    user = User.objects.create_superuser("staff@example.org")
    client.force_login(user)
    return user


@pytest.fixture
def account():
    return AccountFactory()


def add(client, model, sent):
    return client.post(reverse(f"admin:backup_app_{model._meta.model_name}_add"), sent)


def change(client, record, sent):
    name = record._meta.model_name
    return client.post(reverse(f"admin:backup_app_{name}_change", args=[record.pk]), sent)


def done(response):
    assert response.status_code == 302, errors(response)


def errors(response):
    """Return the sentences by field."""
    assert response.status_code == 200, response.headers
    return response.context["adminform"].form.errors


def said(client, response):
    """Return the messages on the page that a response leads to."""
    page = client.get(response.url)
    return [str(message) for message in page.context["messages"]]


class TestApiKeys:
    def test_its_text_is_shown_once_and_works(self, client, account):
        response = add(client, ApiKey, {"account": account.pk, "name": "cron"})

        key = ApiKey.objects.get()
        (sentence, *_) = said(client, response)
        text = next(word for word in sentence.split() if word.startswith("bk_"))
        assert (key.account, key.name, key.expires) == (account, "cron", None)
        assert authentication.account_of(account.email, text) == account
        page = client.get(reverse("admin:backup_app_apikey_change", args=[key.pk]))
        assert text not in page.content.decode()
        assert key.digest not in page.content.decode()
        assert not AuditEntry.objects.filter(detail__contains=text).exists()

    def test_it_expires(self, client, account):
        sent = {"account": account.pk, "expires_0": "2030-01-31", "expires_1": "12:00:00"}

        done(add(client, ApiKey, sent))

        assert ApiKey.objects.get().expires.isoformat() == "2030-01-31T12:00:00+00:00"

    def test_a_revoked_one_works_no_more(self, client, account):
        key, text = keys.make(account)

        client.post(
            reverse("admin:backup_app_apikey_changelist"),
            {"action": "revoke", "_selected_action": [key.pk]},
        )

        assert keys.find(text) is None

    def test_it_is_not_changed(self, client, account):
        key, _ = keys.make(account, "cron")

        assert change(client, key, {"name": "other"}).status_code == 403


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
        }

    def test_one_of_this_machine_is_made(self, client, sent, account):
        done(add(client, Client, sent | {"schedule": " 30  2 * * * ", "host_key": HOST_KEY}))

        made = Client.objects.get()
        assert (made.account, made.name, made.ip) == (account, "web1", "192.0.2.10")
        assert (made.connection, made.schedule) == ("local", "30 2 * * *")
        page = client.get(reverse("admin:backup_app_client_change", args=[made.pk]))
        assert "ssh-ed25519 SHA256:" in page.content.decode()

    @pytest.mark.parametrize(
        ("fields", "named"),
        [
            ({"name": ""}, {"name"}),
            ({"name": "a/b"}, {"name"}),
            ({"name": "192.0.2.99"}, {"name"}),
            ({"ip": "300.1.1.1"}, {"ip"}),
            ({"schedule": "daily"}, {"schedule"}),
            ({"schedule": "0 0 30 2 *"}, {"schedule"}),
            ({"host_key": "ssh-rsa nonsense"}, {"host_key"}),
            ({"host_key": "example.org ssh-ed25519 AAAA"}, {"host_key"}),
            ({"ssh_port": "0"}, {"ssh_port"}),
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
            "__all__": [f"Client '{other}' has the address '192.0.2.77' already."]
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

        client.post(f"{address}?state=deleted", chosen | {"action": "bring_back"})
        assert Client.objects.present().exists()

    def test_one_with_a_job_is_not_deleted(self, client):
        job = JobFactory(client__name="web1")
        address = reverse("admin:backup_app_client_changelist")

        response = client.post(
            address, {"action": "mark_deleted", "_selected_action": [job.client_id]}
        )

        assert said(client, response) == [
            f"Client 'web1' has a job: {job.pk} is queued. Cancel it."
        ]
        assert Client.objects.present().exists()

    @pytest.mark.parametrize(
        ("action", "level"), [("back_up", "Incremental"), ("back_up_fully", "Full")]
    )
    def test_it_is_backed_up_now(self, client, staff, action, level):
        made = ClientFactory()
        address = reverse("admin:backup_app_client_changelist")
        chosen = {"action": action, "_selected_action": [made.pk]}

        response = client.post(address, chosen)

        job = made.jobs.get()
        assert (job.level, job.requested_by, job.status) == (level, staff.username, "queued")
        assert said(client, response) == ["Backup started: 1 client."]
        (sentence,) = said(client, client.post(address, chosen))
        assert sentence.endswith(f"has a backup already: job {job.pk} is queued.")


class TestJobs:
    def test_a_queued_one_is_canceled(self, client, staff):
        job = JobFactory()

        client.post(
            reverse("admin:backup_app_job_changelist"),
            {"action": "cancel", "_selected_action": [job.pk]},
        )

        job.refresh_from_db()
        assert job.status == "canceled"
        entry = AuditEntry.objects.get()
        assert (entry.account, entry.login) == (job.account, staff.username)
        assert (entry.operation, entry.target) == ("admin: change job", str(job))
        assert (entry.outcome, entry.detail) == ("done", "Asked to cancel.")

    def test_a_backup_is_verified(self, client):
        job = JobFactory(status="completed")

        client.post(
            reverse("admin:backup_app_job_changelist"),
            {"action": "verify", "_selected_action": [job.pk]},
        )

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


class TestFilesets:
    def test_lines_become_lists(self, client, account):
        sent = {
            "account": account.pk,
            "name": "etc",
            "include": "/etc\r\n\r\n/srv/a b/\r\n/etc",
            "exclude": "*.tmp\n/var/cache",
            "databases": "mysql shop\npostgresql  crm",
            "one_filesystem": "on",
            "compression": "5",
            "verify": "on",
            "schedule": "0 3 * * *",
        }

        done(add(client, Fileset, sent))

        made = Fileset.objects.get()
        assert made.include == [{"path": "/etc"}, {"path": "/srv/a b"}]
        assert made.exclude == ["*.tmp", "/var/cache"]
        assert made.databases == [
            {"kind": "mysql", "name": "shop"},
            {"kind": "postgresql", "name": "crm"},
        ]
        assert made.options == {"one_filesystem": True, "compression": 5}
        assert (made.verify, made.schedule) == (True, "0 3 * * *")

    def test_lists_are_shown_as_lines(self, client):
        made = FilesetFactory(
            include=[{"path": "/etc"}, {"path": "/srv"}],
            databases=[{"kind": "mysql", "name": "shop"}],
            options={"one_filesystem": True, "compression": 5},
        )

        page = client.get(reverse("admin:backup_app_fileset_change", args=[made.pk]))

        form = page.context["adminform"].form
        assert form["include"].value() == "/etc\n/srv"
        assert form["databases"].value() == "mysql shop"
        assert (form["one_filesystem"].value(), form["compression"].value()) == (True, 5)

    def test_options_that_are_taken_away_are_gone(self, client, account):
        made = FilesetFactory(account=account, options={"one_filesystem": True, "compression": 5})

        done(change(client, made, {"name": "etc", "include": "/etc"}))

        made.refresh_from_db()
        assert made.options == {"one_filesystem": False}

    @pytest.mark.parametrize(
        ("fields", "named"),
        [
            ({"include": "etc"}, {"include"}),
            ({"include": "/a/../b"}, {"include"}),
            ({"include": ""}, {"include"}),
            ({"databases": "oracle crm"}, {"databases"}),
            ({"databases": "mysql"}, {"databases"}),
            ({"compression": "20"}, {"compression"}),
            ({"schedule": "daily"}, {"schedule"}),
            ({"exclude": "a\0b"}, {"exclude"}),
            ({"name": "a/b"}, {"name"}),
            ({"include": "etc", "schedule": "x"}, {"include", "schedule"}),
        ],
    )
    def test_a_wrong_one_is_refused(self, client, account, fields, named):
        sent = {"account": account.pk, "name": "etc", "include": "/etc", **fields}

        assert set(errors(add(client, Fileset, sent))) == named

    def test_databases_alone_are_enough(self, client, account):
        done(add(client, Fileset, {"account": account.pk, "name": "db", "databases": "mysql a"}))

    def test_a_name_that_the_account_has_is_refused(self, client, account):
        FilesetFactory(account=account, name="etc")
        other = FilesetFactory(account=account, name="srv")
        sent = {"account": account.pk, "name": "etc", "include": "/etc"}

        assert set(errors(add(client, Fileset, sent))) == {"__all__"}
        assert set(errors(change(client, other, sent))) == {"__all__"}


class TestPools:
    def test_one_is_made_and_changed(self, client, account):
        sent = {"account": account.pk, "name": "daily", "storage": StorageFactory().pk}
        sent |= {"retention_days": 14, "keep_full": 2}

        done(add(client, Pool, sent))
        made = Pool.objects.get()
        done(change(client, made, sent | {"quota_bytes": 5_000_000}))

        made.refresh_from_db()
        assert (made.account, made.retention_days, made.keep_full) == (account, 14, 2)
        assert made.quota_bytes == 5_000_000

    @pytest.mark.parametrize(
        ("fields", "named"),
        [
            ({"retention_days": 0}, {"retention_days"}),
            ({"keep_full": 0}, {"keep_full"}),
            ({"quota_bytes": -1}, {"quota_bytes"}),
            ({"name": "a/b"}, {"name"}),
            ({"storage": ""}, {"storage"}),
        ],
    )
    def test_a_wrong_one_is_refused(self, client, account, fields, named):
        sent = {"account": account.pk, "name": "daily", "storage": StorageFactory().pk}
        sent |= {"retention_days": 14, "keep_full": 2, **fields}

        assert set(errors(add(client, Pool, sent))) == named

    def test_it_stays_in_the_zone_of_its_clients(self, client):
        made = ClientFactory(name="web1").pool
        sent = {"name": made.name, "retention_days": 14, "keep_full": 2}

        response = change(client, made, sent | {"storage": StorageFactory().pk})

        assert "has client 'web1', which is not in zone" in errors(response)["storage"][0]


class TestStoragesAndZones:
    def test_a_storage_is_made(self, client):
        sent = {"name": "disk", "zone": ZoneFactory().pk, "kind": "folder", "path": "/srv//b/"}

        done(add(client, Storage, sent))

        assert Storage.objects.get().path == "/srv/b"

    @pytest.mark.parametrize("path", ["", "srv", "/srv/../etc", "/taken", "/taken/"])
    def test_a_wrong_path_is_refused(self, client, path):
        StorageFactory(path="/taken")
        sent = {"name": "disk", "zone": ZoneFactory().pk, "kind": "folder", "path": path}

        assert set(errors(add(client, Storage, sent))) == {"path"}

    def test_it_does_not_leave_the_zone_of_its_pools_clients(self, client):
        made = ClientFactory().pool.storage
        sent = {"name": made.name, "zone": ZoneFactory().pk, "kind": "folder", "path": made.path}

        assert "which is not in zone" in str(errors(change(client, made, sent)))

    def test_a_zone_has_an_engine_of_the_settings(self, client):
        done(add(client, Zone, {"name": "north", "engine": "default"}))

        assert set(errors(add(client, Zone, {"name": "x", "engine": "none"}))) == {"engine"}

    def test_what_is_in_use_is_not_deleted(self, client):
        made = ClientFactory().pool.storage
        page = reverse("admin:backup_app_storage_delete", args=[made.pk])

        client.post(page, {"post": "yes"})

        assert Storage.objects.filter(pk=made.pk).exists()


class TestSubusers:
    @pytest.fixture
    def sent(self, account):
        return {
            "account": account.pk,
            "login": "sam",
            "first_name": "Sam",
            "last_name": "Sub",
            "email": "sam@example.org",
        }

    @staticmethod
    def granted(*clients, **more):
        rows = {f"grants-{n}-client": each.pk for n, each in enumerate(clients)}
        return rows | {"grants-TOTAL_FORMS": len(clients), "grants-INITIAL_FORMS": 0, **more}

    def test_one_is_made_with_a_password_that_works(self, client, sent):
        done(add(client, Subuser, sent | {"new_password": STRONG}))

        made = authentication.subuser_of("sam", STRONG)
        assert made == Subuser.objects.get()
        assert made.email == "sam@example.org"

    def test_without_a_password_it_cannot_log_in_and_keeps_the_one_it_has(self, client, sent):
        done(add(client, Subuser, sent))
        made = Subuser.objects.get()
        assert made.password == ""
        subusers.set_password(made, STRONG)

        done(change(client, made, sent | self.granted() | {"first_name": "Samuel"}))

        made.refresh_from_db()
        assert made.first_name == "Samuel"
        assert authentication.subuser_of("sam", STRONG) == made

    @pytest.mark.parametrize(
        ("fields", "named"),
        [
            ({"login": "a:b"}, {"login"}),
            ({"login": "TAKEN"}, {"login"}),
            ({"login": ""}, {"login"}),
            ({"email": "sam"}, {"email"}),
            ({"new_password": "short"}, {"new_password"}),
            ({"new_password": "sam@example.org"}, {"new_password"}),
            ({"new_password": f"bk_{'0' * 12}_abc"}, {"new_password"}),
        ],
    )
    def test_a_wrong_one_is_refused(self, client, sent, fields, named):
        SubuserFactory(login="taken")

        assert set(errors(add(client, Subuser, sent | fields))) == named

    def test_clients_of_the_account_are_granted_and_taken_away(self, client, sent, account):
        made = SubuserFactory(account=account, login="sam")
        own = ClientFactory(account=account)

        done(change(client, made, sent | self.granted(own)))
        grant = Grant.objects.get(subuser=made, client=own)
        gone = {"grants-INITIAL_FORMS": 1, "grants-0-id": grant.pk, "grants-0-DELETE": "on"}
        gone |= {"grants-0-subuser": made.pk}
        done(change(client, made, sent | self.granted(own) | gone))

        assert not Grant.objects.exists()

    def test_clients_of_others_and_deleted_ones_are_not_granted(self, client, sent, account):
        made = SubuserFactory(account=account, login="sam")
        for other in ClientFactory(), ClientFactory(account=account, deleted="2027-01-01T00:00Z"):
            response = change(client, made, sent | self.granted(other))
            assert response.status_code == 200

        assert not Grant.objects.exists()

    def test_a_client_is_granted_once(self, client, sent, account):
        made = SubuserFactory(account=account, login="sam")
        own = ClientFactory(account=account)
        Grant.objects.create(subuser=made, client=own)

        done(change(client, made, sent | self.granted(own)))

        assert Grant.objects.count() == 1


class TestMailboxes:
    def test_one_is_made_in_lower_case(self, client):
        made = ClientFactory()
        sent = {"client": made.pk, "mailbox": "Ada@Example.org", "store_path": "/srv/ada.edb"}

        done(add(client, Mailbox, sent))

        assert Mailbox.objects.get().mailbox == "ada@example.org"
        assert errors(add(client, Mailbox, sent | {"mailbox": "ADA@example.org"}))

    def test_what_is_no_address_is_refused(self, client):
        sent = {"client": ClientFactory().pk, "mailbox": "ada"}

        assert set(errors(add(client, Mailbox, sent))) == {"mailbox"}
