"""A real Bacula for the tests of its engine.

``installation`` is one for each process of the test run. ``bacula`` is the same for a test that
also needs the project's database: the default engine is then a BaculaEngine that drives it, with a
prefix of the test's own.

The catalog is the database "bacula" of ``django.db.connections``. Django forbids a test every
alias that it did not announce, and wraps announced ones in a transaction; but the Director's
database is nobody's fixture. So the alias is there for whoever asks for it by name, in every
thread, and is left out where Django goes through all of its databases: it makes no test database
for it, begins no transaction, and flushes nothing. To be seen by code that asks
``"bacula" in connections`` use ``connections["bacula"]`` there, which raises
ConnectionDoesNotExist for an unknown one.
"""

import secrets

import pytest
from django.db import connections

from ..factories import (
    ClientFactory,
    FilesetFactory,
    PoolFactory,
    StorageFactory,
)
from .installation import Installation, require

ENGINE = "backup_app.engines.bacula.BaculaEngine"


class WithCatalog(dict):
    """Settings of databases: one of them is there, but not among them."""

    catalog = None

    def __contains__(self, alias):
        return super().__contains__(alias) or (alias == "bacula" and self.catalog is not None)

    def __missing__(self, alias):
        if alias not in self:
            raise KeyError(alias)
        return self.catalog


@pytest.fixture(scope="session")
def installation(tmp_path_factory):
    """A Bacula that runs, with nothing in it yet but what its operator has configured."""
    require()
    made = Installation(tmp_path_factory.mktemp("bacula"))
    try:
        made.start()
        yield made
    finally:
        made.stop()


@pytest.fixture(scope="session")
def catalog(installation, django_db_setup):
    """The name of the catalog's database in ``connections``."""
    kept = connections.settings
    connections.settings = WithCatalog(kept)
    both = {"default": {}, "bacula": installation.catalog}
    connections.settings.catalog = connections.configure_settings(both)["bacula"]
    yield "bacula"
    connections["bacula"].close()
    connections.settings = kept


@pytest.fixture
def bacula(installation, catalog, db, settings):
    """The installation, all of whose daemons run, as the default engine's."""
    for daemon in installation.daemons:
        if not daemon.is_running:
            daemon.start()
    installation.prefix = f"t{secrets.token_hex(4)}-"
    settings.BACKUP_ENGINES = {"default": {"BACKEND": ENGINE, "OPTIONS": installation.options()}}
    yield installation
    installation.prefix = "bk-"
    for file in installation.conf_d.rglob("*"):
        if file.is_file():
            file.unlink()


@pytest.fixture
def bacula_zone(bacula):
    """A zone with the storage ``File1``, which the operator has configured."""
    return StorageFactory(name="File1", engine_name="File1", path="").zone


@pytest.fixture
def bacula_client(bacula, bacula_zone):
    """A function that makes a client of a machine, which is "one" unless told.

    It is the one that the operator has configured; its fileset has the folders ``include``.
    """

    def make(*include, machine=bacula.one, **fields):
        storage = bacula_zone.storages.get()
        fields.setdefault("engine_name", machine.name)
        fields.setdefault("pool", PoolFactory(storage=storage))
        account = fields["pool"].account
        paths = [{"path": str(path)} for path in include or [bacula.own]]
        fields.setdefault("fileset", FilesetFactory(account=account, include=paths))
        return ClientFactory(account=account, ip=machine.address, connection="agent", **fields)

    return make
