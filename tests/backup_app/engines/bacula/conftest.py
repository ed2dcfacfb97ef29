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

from backup_app.engines import get_engine
from backup_app.jobs.adoption.history import adopt_history
from backup_app.jobs.adoption.records import Known
from backup_app.services.adoption import Report

from ...support.factories import (
    ClientFactory,
    FilesetFactory,
    PoolFactory,
    StorageFactory,
    ZoneFactory,
)
from .support.adopting import adopted_client
from .support.database_script import Script
from .support.forged_jobs import forged_backup
from .support.installation import Installation, require, sql
from .support.jobs import end_reading

ENGINE = "backup_app.engines.bacula.BaculaEngine"


class WithHidden(dict):
    """Settings of databases: those that are ``hidden`` are there, but not among them."""

    def __init__(self, shown):
        super().__init__(shown)
        self.hidden = {}

    def __contains__(self, alias):
        return super().__contains__(alias) or alias in self.hidden

    def __missing__(self, alias):
        return self.hidden[alias]


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
def hide(django_db_setup):
    """A function that gives ``connections`` a database which is not among them."""
    kept = connections.settings
    connections.settings = WithHidden(kept)

    def add(alias, values):
        both = {"default": {}, alias: values}
        connections.settings.hidden[alias] = connections.configure_settings(both)[alias]

    yield add
    for alias in connections.settings.hidden:
        connections[alias].close()
    connections.settings = kept


@pytest.fixture(scope="session")
def catalog(installation, hide):
    """The name of the catalog's database in ``connections``."""
    hide("bacula", installation.catalog)
    return "bacula"


@pytest.fixture
def bacula(installation, catalog, db, settings):
    """The installation, all of whose daemons run, as the default engine's."""
    was_told = installation.clear()
    for daemon in installation.daemons:
        if not daemon.is_running:
            daemon.start()
    if was_told:
        installation.reload()
    installation.prefix = f"t{secrets.token_hex(4)}-"
    settings.BACKUP_ENGINES = {"default": {"BACKEND": ENGINE, "OPTIONS": installation.options()}}
    yield installation
    end_reading()
    installation.prefix = "bk-"


@pytest.fixture
def bacula_zone(bacula):
    """A zone with the storage ``File1``, which the operator has configured."""
    return StorageFactory(name="File1", engine_name="File1", path="").zone


@pytest.fixture
def zone(bacula):
    """A zone with nothing in it."""
    return ZoneFactory(name="north")


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
        place = {"ip": machine.address, "agent_port": machine.port, "connection": "agent"}
        return ClientFactory(account=account, **place | fields)

    return make


@pytest.fixture
def newer_tables(installation, catalog):
    """Tables of a version of the catalog that is not known yet; a function that ends it."""
    ((version,),) = installation.query("SELECT versionid FROM version")

    def become(number):
        sql(f"UPDATE version SET versionid = {number}", database=installation.database)  # noqa: S608
        connections[catalog].close()

    become(1027)
    yield lambda: become(version)
    become(version)


@pytest.fixture
def director(bacula):
    """The Director, as the engine asks it."""
    with get_engine().director() as director:
        yield director


@pytest.fixture
def own(bacula):
    """The folder that the operator's job backs up, with two files."""
    (bacula.own / "first").write_text("content of the first")
    (bacula.own / "second").write_text("content of the second")
    return bacula.own


@pytest.fixture
def operator(bacula):
    """A function that adds to the operator's configuration, until the test is over."""
    file = bacula.operator_d / "adopted.conf"

    def write(*resources):
        file.write_text("".join(resources))
        bacula.reload()

    yield write
    file.unlink(missing_ok=True)
    bacula.reload()


@pytest.fixture
def script(tmp_path):
    """The script that clients dump and load their databases with."""
    return Script(tmp_path)


@pytest.fixture
def engine(settings, catalog):
    """The engine of the zone "north", which has the catalog and no Director."""
    settings.BACKUP_ENGINES = {"north": {"BACKEND": ENGINE, "OPTIONS": {"catalog": catalog}}}
    return get_engine("north")


@pytest.fixture
def machine(engine):
    """An adopted client of the zone "north"."""
    return adopted_client(ZoneFactory(engine="north"))


@pytest.fixture
def adopt(engine, machine):
    """A function that adopts the jobs of clients, ``machine`` unless told.

    It returns what came of it.
    """

    def run(*clients, **options):
        report = Report()
        list(adopt_history(Known(engine, clients or [machine]), report, **options))
        return report

    return run


@pytest.fixture
def forge(bacula, client):
    """A function that makes a backup of paths of the test's client; see ``forged_backup``."""
    return lambda files, base=None, **values: forged_backup(bacula, client, files, base, **values)


@pytest.fixture
def tree(tmp_path):
    """A folder with a letter, to be backed up."""
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "letter").write_text("Dear all")
    return tmp_path / "tree"
