"""What is told of clients."""

import pytest

from ...support.answering_engine import answering_engine
from ...support.api_client import queries_of, refused
from ...support.factories import (
    ClientFactory,
    FilesetFactory,
    JobFactory,
    PoolFactory,
    SubuserFactory,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("answering")]


class TestConfig:
    def test_it_says_what_must_be_on_the_client(self, api, account):
        client = ClientFactory(account=account, name="web1")

        assert api.post(f"/api/getconfig/{client.ip}/unix").json() == {
            "client": "web1",
            "system": "unix",
            "file_name": "setup.sh",
            "config": "# web1\n",
        }

    def test_another_system_is_refused(self, api, account):
        client = ClientFactory(account=account, name="web1")

        assert refused(api.post(f"/api/getconfig/{client.ip}/windows"), 409) == (
            "Client 'web1' is a unix machine, not a windows one."
        )
        assert api.post(f"/api/getconfig/{client.ip}/beos").status_code == 400

    def test_an_unreachable_engine_is_503(self, api, account):
        client = ClientFactory(account=account)
        with answering_engine(unreachable=True):
            response = api.post(f"/api/getconfig/{client.ip}/unix")

        assert refused(response, 503) == "The engine is away."

    def test_a_zone_without_its_engine_is_502(self, api, account):
        client = ClientFactory(account=account)
        client.zone.engine = "lost"
        client.zone.save()

        response = api.post(f"/api/getconfig/{client.ip}/unix")

        assert refused(response, 502) == "BACKUP_ENGINES['lost'] is missing 'lost'."


class TestBackupOptions:
    def test_they_are_what_backupnow_takes(self, api, account):
        client = ClientFactory(account=account, name="web1", schedule="1 2 * * *")
        FilesetFactory(account=account, name="a"), PoolFactory(account=account, name="b")
        FilesetFactory(), PoolFactory()

        assert api.post(f"/api/backupoptions/{client.ip}/unix").json() == {
            "client": "web1",
            "system": "unix",
            "levels": ["Full", "Differential", "Incremental"],
            "filesets": sorted(["a", client.fileset.name]),
            "pools": sorted(["b", client.pool.name]),
            "zone": client.zone.name,
            "schedule": "1 2 * * *",
            "retention_days": 30,
            "defaults": {
                "level": "Incremental",
                "fileset": client.fileset.name,
                "pool": client.pool.name,
            },
        }


class TestSystem:
    def test_it_needs_a_completed_backup(self, api, account):
        client = ClientFactory(account=account, name="web1", system="windows")
        JobFactory(client=client, status="failed")
        JobFactory(client=client, status="completed", type="restore")

        assert refused(api.post(f"/api/system/{client.ip}"), 409) == (
            "Client 'web1' has no completed backup yet."
        )
        JobFactory(client=client, status="warnings")
        assert api.post(f"/api/system/{client.ip}").json() == {"system": "windows"}


class TestName:
    def test_it_is_found_by_any_spelling_of_the_address(self, api, account):
        ClientFactory(account=account, name="web1", ip="2001:db8::1")

        for spelling in ("2001:db8::1", "2001:DB8:0::1", "2001:db8:0:0:0:0:0:1/"):
            assert api.post(f"/api/getclientnamebyip/{spelling}").json() == {"name": "web1"}

    @pytest.mark.parametrize("address", ["192.0.2.99", "x", "%00", "1.2.3.4.5", "fe80::1%25eth0"])
    def test_an_unknown_address_is_404(self, api, address):
        assert api.post(f"/api/getclientnamebyip/{address}").status_code == 404

    def test_the_client_of_another_account_is_404(self, api):
        client = ClientFactory()

        assert refused(api.post(f"/api/getclientnamebyip/{client.ip}"), 404) == (
            f"There is no client with the address '{client.ip}'."
        )


class TestServers:
    def test_each_client_with_how_well_it_is_protected(self, api, account, settings):
        settings.TIME_ZONE = "UTC"
        client = ClientFactory(account=account, name="web1", internal_ip="10.0.0.1")
        full = JobFactory(client=client, status="completed", bytes=700, ended="2030-01-01T00:00Z")
        full.sources.add(full)
        newest = JobFactory(client=client, status="warnings", bytes=30, ended="2030-01-02T00:00Z")
        newest.sources.add(full, newest)
        JobFactory(client=client, status="failed", bytes=5)
        JobFactory(client=client, status="completed", bytes=5, type="restore")
        bare = ClientFactory(account=account, name="web2")
        ClientFactory()

        assert api.post("/api/servers").json() == {
            "servers": [
                {
                    "name": "web1",
                    "ip": client.ip,
                    "internal_ip": "10.0.0.1",
                    "system": "unix",
                    "zone": client.zone.name,
                    "last_backup": "2030-01-02 00:00:00",
                    "last_status": "failed",
                    "protected_bytes": 730,
                },
                {
                    "name": "web2",
                    "ip": bare.ip,
                    "internal_ip": None,
                    "system": "unix",
                    "zone": bare.zone.name,
                    "last_backup": None,
                    "last_status": None,
                    "protected_bytes": 0,
                },
            ]
        }

    def test_of_a_subuser_only_those_that_are_granted(self, api, account):
        granted, _ = ClientFactory(account=account, name="web1"), ClientFactory(account=account)
        subuser = SubuserFactory(account=account)
        subuser.clients.add(granted)

        found = api.post("/api/servers", {"subuser": subuser.login}).json()["servers"]

        assert [server["name"] for server in found] == ["web1"]

    def test_it_takes_as_many_queries_for_one_as_for_three(self, api, account):
        JobFactory(client__account=account, status="completed")
        one = queries_of(lambda: api.post("/api/servers"))
        for _ in range(2):
            JobFactory(client__account=account, status="completed")

        assert queries_of(lambda: api.post("/api/servers")) == one
