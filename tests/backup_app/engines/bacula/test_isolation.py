"""Nobody sees or changes what is another's in Bacula either: the same table of all operations.

Each of four machines, with a file daemon of its own, was backed up by the one Director that they
share, which itself would show anything to anybody.
"""

import secrets
from contextlib import ExitStack

import pytest
from django.db import transaction
from django.test import override_settings

from backup_app.engines import get_engine
from backup_app.engines.bacula import BaculaEngine
from backup_app.engines.bacula.config import provisioning
from backup_app.models import Download

from ...api.test_isolation import (  # noqa: F401 - collected here again, with the world below
    test_a_subuser_may_do_it_with_its_own_or_not_at_all,
    test_an_account_may_do_it_with_its_own,
    test_another_accounts_things_do_not_exist,
    test_another_accounts_things_do_not_exist_for_subusers,
    test_lists_hold_what_is_granted_and_no_more,
    test_not_on_behalf_of_another_accounts_subuser,
    test_on_behalf_of_a_subuser_only_what_is_granted,
    test_what_is_not_granted_to_a_subuser_is_refused,
)
from ...support.factories import (
    ClientFactory,
    FilesetFactory,
    JobFactory,
    StorageFactory,
    ZoneFactory,
)
from ...support.world import Desk, make_world
from .support.file_daemons import agent
from .support.installation import free_ports

# Their world takes seconds to make: one process for all of them.
pytestmark = [pytest.mark.django_db, pytest.mark.xdist_group("four machines in Bacula")]


class DeskBacula(BaculaEngine):
    """A Bacula that runs no commands and has no databases."""

    run_command = Desk.run_command
    find_dump = Desk.find_dump
    require_database = Desk.require_database


class InBacula:
    """The things of a Bacula: its backups are real ones, whose downloads are ready."""

    def __init__(self, installation, folder, stack):
        self.installation, self.folder, self.stack = installation, folder, stack
        self.engine = get_engine()
        self.zone = ZoneFactory()
        self.addresses = iter(f"127.60.0.{number}" for number in range(1, 5))

    def storage(self, name):
        return StorageFactory(zone=self.zone, name=f"storage-{name}", engine_name="File1", path="")

    def fileset(self, name, account):
        (self.folder / name).mkdir()
        (self.folder / name / "file").write_text(f"of {name}")
        other = self.folder / f"other-{name}"  # so that one folder is not the whole machine
        other.mkdir()
        include = [{"path": str(self.folder / name)}, {"path": str(other)}]
        return FilesetFactory(account=account, name=f"fileset-{name}", include=include)

    def client(self, name, **fields):
        place = {"ip": next(self.addresses), "agent_port": free_ports(1)[0]}
        client = ClientFactory(name=f"client-{name}", connection="agent", **place, **fields)
        self.stack.enter_context(agent(client, self.folder / f"agent-{name}"))
        return client

    def backups(self, clients):
        with self.engine.director() as director:
            numbers = [self._begin(director, client) for client in clients]
        assert [self.installation.wait(number) for number in numbers] == ["T"] * len(clients)
        return [self._backup(*each) for each in zip(clients, numbers, strict=True)]

    def _begin(self, director, client):
        pool = client.pool
        found = provisioning.prepare_backup(self.engine, client, client.fileset, pool, pool.storage)
        return director.run(found["job"], client=found["client"], level="Full", comment="test")

    def _backup(self, client, number):
        job = JobFactory(client=client, engine_job_id=number, status="completed", files=2)
        job.source_links.create(source=job)
        size, plan = self.engine.plan_download(job)
        Download.objects.create(job=job, state="ready", size=size, plan=plan)
        folder = client.fileset.include[0]["path"]
        paths = [folder.encode(), f"{folder}/file".encode()]
        chosen = self.engine.select_paths(job, paths)
        return job, chosen.nodes[0][0], f"{folder}/file", chosen.files[0][0]


@pytest.fixture(scope="module")
def engines(installation, catalog, tmp_path_factory):
    """Settings with a Bacula as the default engine."""
    options = installation.options(prefix=f"i{secrets.token_hex(4)}-")
    backend = f"{__name__}.{DeskBacula.__name__}"
    yield {
        "BACKUP_ENGINES": {"default": {"BACKEND": backend, "OPTIONS": options}},
        "BACKUP_ROOT": str(tmp_path_factory.mktemp("isolation") / "root"),
    }
    for file in installation.conf_d.glob("*"):
        file.unlink()


@pytest.fixture(autouse=True)
def engine(settings, engines):
    for name, value in engines.items():
        setattr(settings, name, value)


@pytest.fixture(scope="module")
def world(installation, engines, tmp_path_factory, django_db_setup, django_db_blocker):
    folder = tmp_path_factory.mktemp("machines")
    settings = override_settings(**engines)
    with ExitStack() as stack, settings, django_db_blocker.unblock(), transaction.atomic():
        yield make_world(InBacula(installation, folder, stack))
        transaction.set_rollback(True)
