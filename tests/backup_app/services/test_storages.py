"""Zones, storages and systems that there are."""

import pytest

from backup_app.services import storages

from ..support.answering_engine import NAME, answering_engine
from ..support.api_client import queries_of
from ..support.factories import (
    ClientFactory,
    JobFactory,
    PoolFactory,
    StorageFactory,
    SubuserFactory,
    ZoneFactory,
)

pytestmark = pytest.mark.django_db


def test_zones(api):
    ZoneFactory(name="south", title="Far away", engine="other"), ZoneFactory(name="north")

    assert api.get("/api/getbaaszones").json() == {
        "zones": [
            {"name": "north", "title": "", "engine": "default"},
            {"name": "south", "title": "Far away", "engine": "other"},
        ]
    }


def test_systems_of_all_engines(api, settings):
    settings.BACKUP_ENGINES = {
        "default": {"BACKEND": NAME},
        "more": {"BACKEND": NAME, "OPTIONS": {"windows": True}},
    }

    unix = {"system": "unix", "name": "Unix", "notes": "GNU tar"}
    assert api.post("/api/supportedsystems").json() == {
        "systems": [
            unix | {"engine": "default"},
            unix | {"engine": "more"},
            {"system": "windows", "name": "Windows", "engine": "more", "notes": ""},
        ]
    }


class TestStorages:
    def test_each_with_its_space_and_the_accounts_pools(self, api, account):
        storage = StorageFactory(name="disk", zone=ZoneFactory(name="north"), path="/srv/backups")
        for name in ("weekly", "daily"):
            PoolFactory(account=account, storage=storage, name=name)
        PoolFactory(storage=storage)
        StorageFactory(name="spare", zone=storage.zone)

        with answering_engine(disk=(1000, 300)):
            found = api.post("/api/storages").json()["storages"]

        assert [each["name"] for each in found] == ["disk", "spare"]
        assert found[1]["pools"] == []
        assert found[0] == {
            "name": "disk",
            "zone": "north",
            "kind": "folder",
            "path": "/srv/backups",
            "capacity": 1000,
            "used": 700,
            "free": 300,
            "pools": ["daily", "weekly"],
        }

    def test_for_a_subuser_those_that_its_clients_use(self, api, account):
        client, _ = ClientFactory(account=account), ClientFactory(account=account)
        subuser = SubuserFactory(account=account)
        subuser.clients.add(client)

        with answering_engine():
            answer = api.post("/api/storages", {"subuser": subuser.login}).json()

        assert [each["name"] for each in answer["storages"]] == [client.pool.storage.name]

    def test_it_takes_as_many_queries_for_one_as_for_three(self, api, account):
        JobFactory(client__account=account)
        with answering_engine():
            one = queries_of(lambda: api.post("/api/storages"))
            for _ in range(2):
                JobFactory(client__account=account)

            assert queries_of(lambda: api.post("/api/storages")) == one


class TestSpace:
    @pytest.mark.parametrize(
        ("capacity", "disk", "used", "expected"),
        [
            (None, None, 5, (None, 5, None)),
            (None, (100, 40), 5, (100, 60, 40)),
            (50, None, 5, (50, 5, 45)),
            (50, (100, 40), 5, (50, 5, 40)),
            (50, (100, 90), 60, (50, 60, 0)),
        ],
    )
    def test_the_operators_capacity_counts_before_the_disks(self, capacity, disk, used, expected):
        storage = StorageFactory(capacity=capacity)

        with answering_engine(disk=disk):
            assert tuple(storages.space(storage, used).values()) == expected

    def test_free_space_is_unknown_while_the_engine_is_unreachable(self):
        storage = StorageFactory()

        with answering_engine(unreachable=True):
            assert storages.space(storage, 5) == {"capacity": None, "used": 5, "free": None}

    def test_what_backups_take_is_used(self):
        job = JobFactory(status="completed", stored_bytes=7)
        JobFactory(client=job.client, status="failed", stored_bytes=2)

        assert storages.used_bytes([job.storage]) == {job.storage.pk: 7}
