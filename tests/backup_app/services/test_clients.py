"""Clients that are made, changed and deleted."""

import pytest
from django.test import override_settings

from backup_app.conf import conf
from backup_app.exceptions import Invalid, WrongState
from backup_app.models import Client, Fileset, Pool
from backup_app.services import clients

from ..support.answering_engine import answering_engine
from ..support.api_client import refused
from ..support.factories import (
    ClientFactory,
    FilesetFactory,
    JobFactory,
    PoolFactory,
    StorageFactory,
    SubuserFactory,
    ZoneFactory,
)
from ..support.folder_engine import FolderEngine

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("answering")]


class AgentEngine(FolderEngine):
    connections = ("agent",)


class TestGenerateConfig:
    def test_the_first_client_gets_what_is_not_given(self, api, account, storage):
        response = api.post("/api/genconfig/unix", {"name": "web1", "IP": "192.0.2.10"})

        assert response.json() == {
            "client": "web1",
            "system": "unix",
            "file_name": "setup.sh",
            "config": "# web1\n",
            "key_installed": False,
        }
        client = Client.objects.get()
        assert (client.account, client.ip, client.internal_ip) == (account, "192.0.2.10", None)
        assert (client.connection, client.schedule) == ("ssh", "")
        assert (client.pool.name, client.pool.storage) == ("default", storage)
        assert client.zone == storage.zone
        assert client.fileset.name == "default"
        assert {"path": "/etc"} in client.fileset.include

    def test_the_next_client_shares_them(self, api, storage):
        for number in (1, 2):
            api.post("/api/genconfig/unix", {"name": f"c{number}", "IP": f"192.0.2.{number}"})

        assert (Client.objects.count(), Pool.objects.count(), Fileset.objects.count()) == (2, 1, 1)

    def test_all_that_is_given_is_kept(self, api, account, storage):
        pool, fileset = (
            PoolFactory(account=account, storage=storage),
            FilesetFactory(account=account),
        )

        response = api.post(
            "/api/genconfig/UNIX/",
            {
                "name": "web1",
                "IP": "2001:DB8::1",
                "internalip": "::ffff:10.0.0.1",
                "pool": pool.name,
                "fileset": fileset.name,
                "zone": "north",
                "schedule": "30  2 * * *",
            },
        )

        assert response.status_code == 200
        client = Client.objects.get()
        assert (client.ip, client.internal_ip) == ("2001:db8::1", "10.0.0.1")
        assert (client.pool, client.fileset, client.zone) == (pool, fileset, storage.zone)
        assert client.schedule == "30 2 * * *"

    def test_an_existing_name_changes_what_is_given_and_keeps_the_rest(self, api, account):
        client = ClientFactory(
            account=account,
            name="web1",
            ip="192.0.2.1",
            internal_ip="10.0.0.1",
            schedule="1 1 * * *",
        )

        assert api.post("/api/genconfig/unix", {"name": "web1", "schedule": ""}).status_code == 200

        after = Client.objects.get()
        assert (after.pk, after.schedule) == (client.pk, "")
        assert (after.ip, after.internal_ip) == ("192.0.2.1", "10.0.0.1")
        assert (after.pool, after.fileset) == (client.pool, client.fileset)
        assert after.connection == "local"

    def test_a_new_client_needs_an_address(self, api, storage):
        response = api.post("/api/genconfig/unix", {"name": "web1"})

        assert response.status_code == 400
        assert response.json() == {
            "error": "Client 'web1' needs an IP address.",
            "code": "invalid",
            "fields": {"IP": ["Client 'web1' needs an IP address."]},
        }

    @pytest.mark.parametrize(
        "value", ["", "x", "1.2.3", "1.2.3.4/8", "fe80::1%eth0", "1.2.3.4\0", "9" * 46, [], None]
    )
    def test_an_invalid_address_is_refused(self, api, storage, value):
        response = api.post("/api/genconfig/unix", {"name": "web1", "IP": value})

        assert response.status_code == 400
        assert list(response.json()["fields"]) == ["IP"]

    @pytest.mark.parametrize("name", ["", " ", "a/b", "..", "a\nb", "x" * 101, "192.0.2.77"])
    def test_an_invalid_name_is_refused(self, api, storage, name):
        response = api.post("/api/genconfig/unix", {"name": name, "IP": "192.0.2.1"})

        assert response.status_code == 400
        assert list(response.json()["fields"]) == ["name"]

    def test_a_client_may_be_named_by_its_own_address(self, api, storage):
        data = {"name": "192.0.2.77", "IP": "192.0.2.77"}

        assert api.post("/api/genconfig/unix", data).status_code == 200

    @pytest.mark.parametrize("schedule", ["x", "61 * * * *", "* * * *", "0 0 30 2 *", "@daily"])
    def test_an_invalid_schedule_is_refused(self, api, storage, schedule):
        data = {"name": "web1", "IP": "192.0.2.1", "schedule": schedule}
        response = api.post("/api/genconfig/unix", data)

        assert response.status_code == 400
        assert schedule in response.json()["fields"]["schedule"][0]

    def test_the_address_of_another_client_is_refused(self, api, account, storage):
        ClientFactory(account=account, name="web1", ip="192.0.2.1")

        response = api.post("/api/genconfig/unix", {"name": "web2", "IP": "192.0.2.1"})

        assert refused(response, 409) == "Client 'web1' already has the address '192.0.2.1'."

    def test_names_and_addresses_are_an_accounts_own(self, api, storage):
        ClientFactory(name="web1", ip="192.0.2.1")

        response = api.post("/api/genconfig/unix", {"name": "web1", "IP": "192.0.2.1"})

        assert response.status_code == 200
        assert Client.objects.count() == 2

    def test_without_a_storage_the_operator_has_something_to_do(self, api):
        response = api.post("/api/genconfig/unix", {"name": "web1", "IP": "192.0.2.1"})

        assert refused(response, 409) == (
            "The operator has not set up a storage yet, so no pool can be created."
        )

    def test_a_zone_without_a_storage_is_refused(self, api, storage):
        ZoneFactory(name="south")
        data = {"name": "web1", "IP": "192.0.2.1", "zone": "south"}

        assert "not set up a storage in zone 'south'" in refused(
            api.post("/api/genconfig/unix", data), 409
        )

    def test_another_zone_gets_a_default_pool_of_its_own(self, api, storage):
        StorageFactory(zone=ZoneFactory(name="south"))
        for number, zone in enumerate(["north", "south", "south"], 1):
            data = {"name": f"c{number}", "IP": f"192.0.2.{number}", "zone": zone}
            assert api.post("/api/genconfig/unix", data).status_code == 200

        names = [client.pool.name for client in Client.objects.order_by("name")]
        assert names == ["default", "default-south", "default-south"]

    def test_a_pool_in_another_zone_is_refused(self, api, account, storage):
        pool = PoolFactory(account=account, name="p", storage__zone__name="south")
        data = {"name": "web1", "IP": "192.0.2.1", "zone": "north", "pool": pool.name}

        assert refused(api.post("/api/genconfig/unix", data), 409) == (
            "Pool 'p' is in zone 'south', not in 'north'."
        )

    @pytest.mark.parametrize("what", ["pool", "fileset", "zone"])
    def test_an_unknown_name_is_404(self, api, storage, what):
        PoolFactory(name="p"), FilesetFactory(name="p")
        data = {"name": "web1", "IP": "192.0.2.1", what: "p"}

        assert refused(api.post("/api/genconfig/unix", data), 404) == (
            f"There is no {what} named 'p'."
        )

    def test_an_unknown_system_is_refused(self, api, storage):
        response = api.post("/api/genconfig/linux", {"name": "web1", "IP": "192.0.2.1"})

        assert refused(response, 400) == ("Unknown system 'linux': it must be unix or windows.")

    def test_windows_needs_an_engine_that_can(self, api, storage):
        data = {"name": "web1", "IP": "192.0.2.1"}

        assert refused(api.post("/api/genconfig/windows", data), 409) == (
            "The engine of zone 'north' cannot back up windows machines."
        )
        with answering_engine(windows=True):
            assert api.post("/api/genconfig/windows", data).json()["system"] == "windows"
        assert Client.objects.get().fileset.name == "default-windows"

    def test_the_name_of_a_deleted_client_is_free(self, api, account):
        old = ClientFactory(account=account, name="web1", ip="192.0.2.1")
        api.post("/api/deleteclient/web1")

        response = api.post("/api/genconfig/unix", {"name": "web1", "IP": "192.0.2.1"})

        assert response.status_code == 200
        assert Client.objects.present().get().pk != old.pk

    def test_for_a_subuser_only_what_is_granted_is_changed(self, api, account, storage):
        client = ClientFactory(account=account, name="web1")
        subuser = SubuserFactory(account=account)
        data = {"subuser": subuser.login, "name": "web1"}

        assert api.post("/api/genconfig/unix", data).status_code == 403
        assert api.post("/api/genconfig/unix", data | {"name": "new"}).status_code == 404
        subuser.clients.add(client)
        assert api.post("/api/genconfig/unix", data).status_code == 200


class TestDelete:
    def test_it_vanishes_at_once_and_keeps_its_backups(self, api, account):
        job = JobFactory(client__account=account, client__name="web1", status="completed")

        assert api.post("/api/deleteclient/web1").json() == {"client": "web1", "deleted": True}

        assert api.post("/api/servers").json() == {"servers": []}
        assert api.get(f"/api/status/{job.pk}").status_code == 404
        assert api.post("/api/deleteclient/web1").status_code == 404
        assert Client.objects.get().deleted is not None
        assert account.backup_jobs.count() == 1

    @pytest.mark.parametrize("status", ["queued", "running", "canceling"])
    def test_it_is_refused_while_there_is_a_job(self, api, account, status):
        job = JobFactory(client__account=account, client__name="web1", status=status)

        assert refused(api.post("/api/deleteclient/web1"), 409) == (
            f"Client 'web1' has job {job.pk}, {status}. Cancel it first."
        )

    def test_for_a_subuser_it_must_be_granted(self, api, account):
        client = ClientFactory(account=account, name="web1")
        subuser = SubuserFactory(account=account)

        data = {"subuser": subuser.login}
        assert api.post("/api/deleteclient/web1", data).status_code == 403
        subuser.clients.add(client)
        assert api.post("/api/deleteclient/web1", data).status_code == 200


class TestRestore:
    def test_a_deleted_client_is_there_again(self):
        client = ClientFactory()
        clients.delete(client)

        clients.restore(client)

        assert client.deleted is None
        assert Client.objects.present().get() == client

    def test_one_that_is_not_deleted_is_refused(self):
        client = ClientFactory(name="web1")

        with pytest.raises(WrongState, match="Client 'web1' is not deleted"):
            clients.restore(client)

    @pytest.mark.parametrize("fields", [{"name": "web1"}, {"ip": "192.0.2.10"}])
    def test_one_whose_name_or_address_is_taken_is_refused(self, fields):
        client = ClientFactory(name="web1", ip="192.0.2.10")
        clients.delete(client)
        ClientFactory(account=client.account, **fields)

        with pytest.raises(WrongState, match=r"'web1' or has the address '192\.0\.2\.10'"):
            clients.restore(client)

        client.refresh_from_db()
        assert client.deleted

    def test_one_whose_name_another_request_has_just_taken_is_refused(self, monkeypatch):
        client = ClientFactory(name="web1")
        clients.delete(client)
        ClientFactory(account=client.account, name="web1")
        monkeypatch.setattr(clients, "_clients_of", lambda account: Client.objects.none())

        with pytest.raises(WrongState, match="'web1' or has the address"):
            clients.restore(client)


class TestConnection:
    @pytest.fixture(autouse=True)
    def engines(self, answering):
        agents = {"BACKEND": f"{__name__}.AgentEngine"}
        with override_settings(BACKUP_ENGINES=conf.engines | {"agents": agents}):
            yield

    @pytest.fixture
    def agents(self, account):
        zone = ZoneFactory(name="agents", engine="agents")
        PoolFactory(account=account, storage=StorageFactory(zone=zone))
        return zone

    def save(self, account, name="web", **values):
        values = {"system": "unix", "ip": "203.0.113.7"} | values
        return clients.save(account, name, **values)

    def test_a_new_client_is_reached_as_its_engine_does(self, account, storage, agents):
        assert self.save(account, zone=storage.zone).connection == "ssh"
        assert self.save(account, "app", ip="203.0.113.8", zone=agents).connection == "agent"

    def test_one_that_is_reached_otherwise_stays_so(self, account, storage):
        client = self.save(account, zone=storage.zone, connection="local")

        assert self.save(account, ip="203.0.113.9").connection == "local"
        assert Client.objects.get() == client

    def test_what_the_engine_cannot_is_refused(self, account, storage, agents):
        with pytest.raises(Invalid) as refusal:
            self.save(account, zone=agents, connection="local")

        assert str(refusal.value) == (
            "In zone 'agents' it must be 'through an agent', not 'this machine'."
        )
