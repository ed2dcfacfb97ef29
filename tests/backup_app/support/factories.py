"""Records of the backup service, made for tests."""

import factory
from factory.django import DjangoModelFactory

from backup_app import models


class AccountFactory(DjangoModelFactory):
    class Meta:
        model = "auth.User"

    username = factory.Sequence(lambda n: f"account{n}")
    email = factory.LazyAttribute(lambda user: f"{user.username}@example.org")


class ZoneFactory(DjangoModelFactory):
    class Meta:
        model = models.Zone

    name = factory.Sequence(lambda n: f"zone{n}")


class StorageFactory(DjangoModelFactory):
    """A folder; give ``path`` a temporary one where something is written."""

    class Meta:
        model = models.Storage

    name = factory.Sequence(lambda n: f"storage{n}")
    zone = factory.SubFactory(ZoneFactory)
    path = "/nonexistent"


class PoolFactory(DjangoModelFactory):
    class Meta:
        model = models.Pool

    account = factory.SubFactory(AccountFactory)
    name = factory.Sequence(lambda n: f"pool{n}")
    storage = factory.SubFactory(StorageFactory)


class FilesetFactory(DjangoModelFactory):
    class Meta:
        model = models.Fileset

    account = factory.SubFactory(AccountFactory)
    name = factory.Sequence(lambda n: f"fileset{n}")
    include = [{"path": "/nonexistent"}]


class ClientFactory(DjangoModelFactory):
    """A machine of an account, whose pool, zone and fileset fit to each other."""

    class Meta:
        model = models.Client

    account = factory.SubFactory(AccountFactory)
    name = factory.Sequence(lambda n: f"client{n}")
    ip = factory.Sequence(lambda n: f"192.0.2.{n % 250 + 1}")
    connection = "local"
    pool = factory.SubFactory(PoolFactory, account=factory.SelfAttribute("..account"))
    zone = factory.LazyAttribute(lambda client: client.pool.storage.zone)
    fileset = factory.SubFactory(FilesetFactory, account=factory.SelfAttribute("..account"))


class JobFactory(DjangoModelFactory):
    """A queued full backup of a client; ``status`` and the rest can be given."""

    class Meta:
        model = models.Job

    client = factory.SubFactory(ClientFactory)
    account = factory.LazyAttribute(lambda job: job.client.account)
    name = factory.LazyAttribute(lambda job: job.client.name)
    type = "backup"
    level = "Full"
    engine = "default"
    fileset = factory.LazyAttribute(lambda job: job.client.fileset)
    pool = factory.LazyAttribute(lambda job: job.client.pool)
    storage = factory.LazyAttribute(lambda job: job.client.pool.storage)


class SubuserFactory(DjangoModelFactory):
    class Meta:
        model = models.Subuser

    account = factory.SubFactory(AccountFactory)
    login = factory.Sequence(lambda n: f"subuser{n}")
    first_name = "Sam"
    last_name = "Sub"
    email = factory.LazyAttribute(lambda subuser: f"{subuser.login}@example.org")
