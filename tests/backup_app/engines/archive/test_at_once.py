"""Requests that arrive at the same moment: one thing is made, and nobody sees a fault."""

import pytest

from backup_app.models import Client, Fileset, Grant, Pool, Subuser
from tests.support.concurrency import call_together

from ...support.answering_engine import answering_engine
from ...support.api_client import client_of
from ...support.factories import AccountFactory, ClientFactory, StorageFactory, SubuserFactory

pytestmark = pytest.mark.django_db(transaction=True)
COUNT = 4


@pytest.fixture
def api():
    return client_of(AccountFactory())


def at_once(send):
    """Return the statuses of ``send(number)`` for some numbers, all begun together."""
    with answering_engine():
        return sorted(response.status_code for response in call_together(send, COUNT))


def test_one_client_is_made_by_its_name(api):
    StorageFactory()

    data = {"name": "web1", "IP": "192.0.2.1"}
    statuses = at_once(lambda number: api.post("/api/genconfig/unix", data))

    assert set(statuses) <= {200, 409}
    assert statuses[0] == 200
    assert (Client.objects.count(), Pool.objects.count(), Fileset.objects.count()) == (1, 1, 1)


def test_one_client_gets_an_address(api):
    StorageFactory()

    statuses = at_once(
        lambda number: api.post("/api/genconfig/unix", {"name": f"c{number}", "IP": "192.0.2.1"})
    )

    assert statuses == [200, 409, 409, 409]
    assert Client.objects.count() == 1


def test_one_pool_and_one_fileset_is_made_by_its_name(api):
    StorageFactory()

    pools = at_once(lambda number: api.post("/api/savepool", {"name": "daily", "keep_full": 2}))
    filesets = at_once(
        lambda number: api.post("/api/savefileset", {"name": "web", "include": "/etc"})
    )

    assert pools == filesets == [200] * COUNT
    assert (Pool.objects.count(), Fileset.objects.count()) == (1, 1)


def test_one_subuser_gets_a_login(api):
    data = {"Login": "sam", "Firstname": "S", "Lastname": "S", "Email": "s@example.org"}

    assert at_once(lambda number: api.post("/api/subuser/add", data)) == [200, 409, 409, 409]
    assert Subuser.objects.count() == 1


def test_one_grant_is_made(api):
    client = ClientFactory()
    data = {"client": client.name, "subuser": SubuserFactory(account=client.account).login}
    own = client_of(client.account)

    assert at_once(lambda number: own.post("/api/subuser/grant", data)) == [200] * COUNT
    assert Grant.objects.count() == 1
