"""What the engine keeps of adopted things: shown everywhere, and changed nowhere."""

import pytest
from django.urls import reverse

from backup_app.models import Client, Fileset, Pool

from ...support.admin_pages import change, done
from ...support.answering_engine import AnsweringEngine, answering_engine
from ...support.api_client import refused
from ...support.factories import ClientFactory, FilesetFactory, PoolFactory, StorageFactory

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def engine(monkeypatch):
    monkeypatch.setattr(AnsweringEngine, "connections", ("agent",))
    with answering_engine(windows=True):
        yield


@pytest.fixture
def pool(account):
    storage = StorageFactory(name="File1", engine_name="File1", kind="bacula", path="")
    return PoolFactory(account=account, name="weekly", engine_name="Weekly", storage=storage)


@pytest.fixture
def fileset(account):
    values = {"include": [{"path": "/srv"}], "exclude": ["*.o"], "options": {"compression": 5}}
    return FilesetFactory(account=account, name="all", engine_name="All", **values)


@pytest.fixture
def machine(pool, fileset):
    names = {"name": "web1", "engine_name": "web1-fd", "ip": "192.0.2.7"}
    related = {"account": pool.account, "pool": pool, "fileset": fileset}
    return ClientFactory(connection="agent", **names, **related)


def unchanged(record):
    return list(type(record).objects.filter(pk=record.pk).values()) == [
        {field.attname: getattr(record, field.attname) for field in record._meta.concrete_fields}
    ]


class TestApi:
    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("include", ["/etc"]),
            ("exclude", []),
            ("options", {"compression": 6}),
            ("databases", [{"kind": "mysql", "name": "shop"}]),
        ],
    )
    def test_what_a_fileset_holds_stays(self, api, fileset, field, value):
        answer = api.post("/api/savefileset", {"name": "all", field: value})

        assert refused(answer, 409) == (
            f"Fileset 'all' was adopted: '{field}' is defined by its engine's configuration, "
            "and can be changed only there."
        )
        assert unchanged(fileset)

    def test_when_it_is_backed_up_is_ours(self, api, fileset):
        sent = {"name": "all", "schedule": "0 1 * * *", "verify": True, "include": ["/srv"]}

        answer = api.post("/api/savefileset", sent).json()

        assert (answer["schedule"], answer["verify"]) == ("0 1 * * *", True)
        assert Fileset.objects.get().engine_name == "All"

    def test_that_holds_for_one_that_cannot_be_shown(self, api, account):
        FilesetFactory(account=account, name="odd", engine_name="Odd", include=[])

        assert api.post("/api/savefileset", {"name": "odd", "verify": True}).status_code == 200

    @pytest.mark.parametrize(
        ("field", "value"), [("retention_days", 5), ("keep_full", 7), ("storage", "other")]
    )
    def test_how_long_a_pool_keeps_stays(self, api, pool, field, value):
        StorageFactory(name="other", zone=pool.storage.zone)

        answer = api.post("/api/savepool", {"name": "weekly", field: value})

        assert refused(answer, 409).startswith(
            f"Pool 'weekly' was adopted: '{field}' is defined by"
        )
        assert unchanged(pool)

    def test_its_quota_is_ours(self, api, pool):
        sent = {"name": "weekly", "quota_bytes": 9, "retention_days": pool.retention_days}

        assert api.post("/api/savepool", sent).json()["quota_bytes"] == 9

    @pytest.mark.parametrize(
        ("system", "values", "named"),
        [
            ("unix", {"IP": "192.0.2.8"}, "'ip' is"),
            ("unix", {"internalip": "10.0.0.1"}, "'internal_ip' is"),
            ("windows", {}, "'system' is"),
            ("windows", {"IP": "192.0.2.8"}, "'ip' and 'system' are"),
        ],
    )
    def test_where_a_client_is_stays(self, api, machine, system, values, named):
        answer = api.post(f"/api/genconfig/{system}", {"name": "web1", **values})

        assert refused(answer, 409).startswith(f"Client 'web1' was adopted: {named} defined by ")
        assert unchanged(machine)

    def test_what_it_is_backed_up_with_is_ours(self, api, machine, account):
        FilesetFactory(account=account, name="some")
        sent = {"name": "web1", "IP": "192.0.2.7", "fileset": "some", "schedule": "0 1 * * *"}

        assert api.post("/api/genconfig/unix", sent).status_code == 200

        found = Client.objects.get()
        assert (found.fileset.name, found.schedule) == ("some", "0 1 * * *")

    def test_it_can_be_deleted(self, api, machine):
        assert api.post("/api/deleteclient/web1").json()["deleted"] is True


@pytest.mark.usefixtures("staff")
class TestAdmin:
    def test_a_fileset_is_shown_and_its_schedule_changed(self, client, fileset):
        address = reverse("admin:backup_app_fileset_change", args=[fileset.pk])
        assert "<code>/srv</code>" in client.get(address).content.decode()
        forged = {"include": "/etc", "exclude": "", "one_filesystem": "on", "compression": "1"}

        done(change(client, fileset, {"name": "all", "schedule": "0 1 * * *", **forged}))

        fileset.schedule = "0 1 * * *"
        assert unchanged(fileset)

    def test_a_pool_keeps_its_retention(self, client, pool):
        forged = {"retention_days": 1, "keep_full": 9, "storage": StorageFactory().pk}

        done(change(client, pool, {"name": "weekly", "quota_bytes": 7, **forged}))

        pool.quota_bytes = 7
        assert unchanged(pool)

    def test_a_client_keeps_its_address(self, client, machine):
        forged = {"name": "x", "ip": "192.0.2.9", "system": "windows", "connection": "local"}
        sent = {"pool": machine.pool_id, "fileset": machine.fileset_id, "schedule": "0 1 * * *"}

        done(change(client, machine, {"ssh_user": "root", "ssh_port": 22, **sent, **forged}))

        machine.schedule = "0 1 * * *"
        assert unchanged(machine)

    def test_a_storage_keeps_its_zone(self, client, pool):
        storage = pool.storage

        sent = {"name": "disk", "engine_name": storage.engine_name}
        done(change(client, storage, {**sent, "kind": "device", "path": "/x"}))

        storage.name = "disk"
        assert unchanged(storage)


def test_what_was_not_adopted_is_all_ours(api, account):
    pool = PoolFactory(account=account, name="daily")

    api.post("/api/savepool", {"name": "daily", "retention_days": 5})

    assert Pool.objects.get(pk=pool.pk).retention_days == 5
