"""Pools: saved and described."""

import pytest

from backup_app.exceptions import Invalid, WrongState
from backup_app.models import Pool
from backup_app.services import pools

from ..support.answering_engine import answering_engine
from ..support.api_client import refused
from ..support.factories import ClientFactory, JobFactory, PoolFactory, StorageFactory, ZoneFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def storage():
    return StorageFactory(name="disk", zone=ZoneFactory(name="north"))


class TestSave:
    def test_a_new_pool_has_defaults(self, api, account, storage):
        assert api.post("/api/savepool", {"name": "daily"}).json() == {
            "name": "daily",
            "storage": "disk",
            "zone": "north",
            "retention_days": 30,
            "keep_full": 1,
            "quota_bytes": None,
            "used_bytes": 0,
            "jobs": 0,
        }
        assert Pool.objects.get().account == account

    def test_what_is_not_given_keeps_its_value(self, api, account, storage):
        given = {"name": "daily", "retention_days": 7, "keep_full": 3, "quota_bytes": 5}
        api.post("/api/savepool", given)

        assert api.post("/api/savepool", {"name": "daily", "keep_full": 4}).json() == {
            **given,
            "keep_full": 4,
            "storage": "disk",
            "zone": "north",
            "used_bytes": 0,
            "jobs": 0,
        }
        assert Pool.objects.count() == 1

    def test_a_quota_can_be_lifted(self, api, account):
        PoolFactory(account=account, name="daily", quota_bytes=5)

        response = api.post("/api/savepool", {"name": "daily", "quota_bytes": None})

        assert response.json()["quota_bytes"] is None

    def test_a_form_lifts_it_with_an_empty_value(self, api, account):
        PoolFactory(account=account, name="daily", quota_bytes=5, keep_full=3)
        form = "name=daily&quota_bytes=&keep_full="

        response = api.generic("POST", "/api/savepool", form, "application/x-www-form-urlencoded")

        assert (response.json()["quota_bytes"], response.json()["keep_full"]) == (None, 3)

    def test_shorter_retention_deletes_nothing(self, api, account):
        job = JobFactory(
            client__account=account, status="completed", ended="2020-01-01T00:00Z", stored_bytes=9
        )

        data = {"name": job.pool.name, "retention_days": 1}
        answer = api.post("/api/savepool", data).json()

        assert (answer["jobs"], answer["used_bytes"]) == (1, 9)

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("retention_days", 0),
            ("retention_days", 36_501),
            ("retention_days", "x"),
            ("retention_days", 10**30),
            ("keep_full", 0),
            ("keep_full", None),
            ("quota_bytes", -1),
            ("quota_bytes", 2**63),
            ("name", "a/b"),
            ("name", ""),
            ("name", "\0"),
        ],
    )
    def test_a_value_that_cannot_be_is_refused(self, api, storage, name, value):
        response = api.post("/api/savepool", {"name": "daily", name: value})

        assert response.status_code == 400
        assert list(response.json()["fields"]) == [name]
        assert not Pool.objects.exists()

    @pytest.mark.parametrize(
        ("days", "sentence"),
        [
            ("x", "retention_days: 'x' is not a whole number."),
            ("9" * 2000, f"retention_days: '{'9' * 50}' is not a whole number."),
            (0, "retention_days: 0 is less than 1."),
            (36_501, "retention_days: 36501 is more than 36500."),
        ],
    )
    def test_a_refusal_names_the_number(self, api, storage, days, sentence):
        answer = api.post("/api/savepool", {"name": "daily", "retention_days": days})

        assert refused(answer, 400) == sentence

    def test_the_verb_refuses_it_too(self, account, storage):
        with pytest.raises(Invalid) as caught:
            pools.save(account, "daily", retention_days=0)

        assert list(caught.value.fields) == ["retention_days"]

    def test_an_unknown_storage_is_404(self, api):
        response = api.post("/api/savepool", {"name": "daily", "storage": "x"})

        assert refused(response, 404) == "There is no storage named 'x'."

    def test_without_a_storage_the_operator_has_something_to_do(self, api):
        assert refused(api.post("/api/savepool", {"name": "daily"}), 409) == (
            "The operator has not set up a storage yet, so no pool can be created."
        )

    def test_a_storage_in_the_same_zone_is_fine(self, api, account, storage):
        client = ClientFactory(account=account, pool__storage=storage)
        other = StorageFactory(zone=storage.zone)

        response = api.post("/api/savepool", {"name": client.pool.name, "storage": other.name})

        assert response.json()["storage"] == other.name

    def test_a_pool_with_clients_stays_in_their_zone(self, api, account, storage):
        client = ClientFactory(account=account, name="web1", pool__name="p", pool__storage=storage)
        StorageFactory(name="far", zone__name="south")

        response = api.post("/api/savepool", {"name": client.pool.name, "storage": "far"})

        assert refused(response, 409) == (
            "Pool 'p' has client 'web1', which is not in zone 'south' of storage 'far'."
        )

    def test_names_are_an_accounts_own(self, api, storage):
        other = PoolFactory(name="daily", keep_full=9)

        assert api.post("/api/savepool", {"name": "daily"}).json()["keep_full"] == 1
        other.refresh_from_db()
        assert other.keep_full == 9


class TestDefault:
    def test_it_is_made_once(self, account, storage):
        pool = pools.default(account)

        assert (pool.name, pool.storage) == ("default", storage)
        assert pools.default(account) == pool

    def test_a_zone_without_a_storage_has_none(self, account, storage):
        zone = ZoneFactory(name="south")

        with pytest.raises(WrongState, match="not set up a storage in zone 'south'"):
            pools.default(account, zone)


class TestGet:
    @pytest.fixture(autouse=True)
    def engine(self):
        with answering_engine(disk=(1000, 300)):
            yield

    def test_it_says_how_full_it_is(self, api, account, storage):
        pool = PoolFactory(account=account, name="daily", storage=storage)
        for status in ("completed", "warnings", "failed"):
            JobFactory(client__account=account, client__pool=pool, status=status, stored_bytes=10)

        answer = api.post("/api/getpool/daily").json()

        assert (answer["used_bytes"], answer["jobs"]) == (20, 2)
        assert "storage_data" not in answer

    def test_getstorage_adds_its_storage(self, api, account, storage):
        PoolFactory(account=account, name="daily", storage=storage), PoolFactory(storage=storage)

        answer = api.post("/api/getpool/daily", {"getstorage": "disk"}).json()

        assert answer["storage_data"] == {
            "name": "disk",
            "zone": "north",
            "kind": "folder",
            "path": "/nonexistent",
            "capacity": 1000,
            "used": 700,
            "free": 300,
            "pools": ["daily"],
        }

    def test_another_storage_is_404(self, api, account, storage):
        PoolFactory(account=account, name="daily")

        assert refused(api.post("/api/getpool/daily", {"getstorage": "disk"}), 404) == (
            "Pool 'daily' is not on a storage named 'disk'."
        )

    @pytest.mark.parametrize("name", ["nothing", "%00", "a%2Fb"])
    def test_an_unknown_pool_is_404(self, api, name):
        PoolFactory(name="nothing")

        assert api.post(f"/api/getpool/{name}").status_code == 404
