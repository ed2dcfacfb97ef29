import pytest
from django.contrib.auth.models import User
from django.db import transaction

from .support.answering_engine import AnsweringEngine, answering_engine
from .support.api_client import client_of
from .support.factories import AccountFactory, StorageFactory, ZoneFactory
from .support.machine import sshd
from .support.machine.databases import SERVERS, TABLE, TWO_ROWS, database

# So that what they assert is shown in full, as it is in test files.
pytest.register_assert_rewrite("tests.backup_app.support.contract")


@pytest.fixture
def account(db):
    return AccountFactory()


@pytest.fixture
def api(account):
    """A client of the API with the account's key."""
    return client_of(account)


@pytest.fixture
def storage(db):
    return StorageFactory(name="disk", zone=ZoneFactory(name="north"))


@pytest.fixture
def answering():
    """Let the default engine answer for its machines at once."""
    AnsweringEngine.installed.clear()
    with answering_engine():
        yield


@pytest.fixture
def staff(client):
    """A superuser, logged in to the admin."""
    user = User.objects.create_superuser("staff@example.org")
    client.force_login(user)
    return user


@pytest.fixture(scope="module")
def world(django_db_setup, django_db_blocker):
    """The parties of ``world.py``, made once: each test takes back what it did."""
    from .support.world import make_world  # once there are settings

    with django_db_blocker.unblock(), transaction.atomic():
        yield make_world()
        transaction.set_rollback(True)


@pytest.fixture
def backup_root(settings, tmp_path):
    """A folder of the service's own, for its keys."""
    settings.BACKUP_ROOT = str(tmp_path / "backups")
    return tmp_path / "backups"


@pytest.fixture(scope="session")
def ssh_server():
    """An SSH server on this machine; tests make keys of their own and let them in."""
    with sshd.serving("MaxStartups 100") as server:
        yield server


@pytest.fixture(params=SERVERS)
def kind(request):
    """The kind of a database server; a test that asks for it runs once for each."""
    return request.param


@pytest.fixture
def server(kind):
    """The database server of a kind on this machine."""
    return SERVERS[kind]


@pytest.fixture
def rows():
    """The statement that fills the table of things."""
    return TWO_ROWS


@pytest.fixture
def name(server, rows):
    """The name of a database with a table of things, and of its user."""
    with database(server.kind) as name:
        server.write(name, TABLE, rows)
        yield name
