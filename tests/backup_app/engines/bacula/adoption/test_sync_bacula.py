"""``manage.py sync_bacula``: an installation that was there before is adopted."""

import pytest

from backup_app.models import Client, Fileset, Job, Mailbox, Pool, Storage
from backup_app.services import clients

from ....support.api_client import client_of
from ....support.commands import command
from ....support.factories import (
    AccountFactory,
    ClientFactory,
    FilesetFactory,
    PoolFactory,
    StorageFactory,
)
from ..conftest import ENGINE
from ..support.adopting import (
    CLIENT,
    FILESET,
    POOL,
    backup,
    configured_client,
    history,
    named,
    sync,
    unique,
)
from ..support.forged_jobs import add_file, execute

pytestmark = pytest.mark.django_db


@pytest.fixture
def account(db):
    return AccountFactory(email="kim@example.org")


@pytest.fixture
def machine(operator):
    return configured_client(operator)


def test_a_client_is_adopted(zone, account, machine):
    ran = sync("--client", machine)

    client = Client.objects.get()
    assert ran.error is None
    assert (client.account, client.name, client.engine_name) == (account, machine, machine)
    assert (client.ip, client.system, client.connection) == ("192.0.2.7", "unix", "agent")
    assert client.agent_port == 9103
    assert client.zone == client.pool.storage.zone == zone
    assert f"Adopted client '{machine}'.\n" in ran.out
    assert ran.out.endswith("Adopted 0 jobs.\n")


def test_its_history_comes_with_it(zone, account, machine):
    number = backup(named(machine))

    ran = sync("--client", machine, "--format=json")

    assert ran.data["jobs"] == {"adopted": 1, "corrected": 0, "removed": 0, "purged": 0}
    assert Job.objects.get().engine_job_id == number
    ip = Client.objects.get().ip
    assert client_of(account).post(f"/api/system/{ip}").json() == {"system": "unix"}


def test_the_mailboxes_in_it_are_found(zone, account, machine):
    client = named(machine)
    old, full, later = history(client, "FFI", fileset="operator-files")
    for number, name in ((old, "ann"), (full, "bob"), (later, "cid")):
        add_file(number, f"/mail/{name}@example.org.pst".encode(), mtime=1_700_000_000)

    sync("--client", machine)

    found = Mailbox.objects.values_list("mailbox", "job__engine_job_id")
    assert set(found) == {("bob@example.org", full), ("cid@example.org", later)}


def test_storages_and_pools_are_adopted(zone, account, operator):
    short, long = unique("short"), unique("long")
    operator(
        POOL.format(name=short, retention="1 hour"), POOL.format(name=long, retention="200 years")
    )

    sync("--client", "one-fd")

    assert Storage.objects.get().engine_name == "File1"
    days = dict(Pool.objects.values_list("engine_name", "retention_days"))
    assert (days["Default"], days[short], days[long]) == (30, 1, 36_500)
    assert {pool.storage.zone for pool in Pool.objects.all()} == {zone}


def test_the_storage_of_a_pool_is_where_its_volumes_are(zone, account, operator):
    pool, storage = unique("pool"), unique("storage")
    operator(
        POOL.format(name=pool, retention="1 day"),
        f"Storage {{ Name = {storage}; Address = 192.0.2.1; Password = x\n"
        "  Device = x\n  Media Type = x }\n",
    )
    query = """
        INSERT INTO media (volumename, mediatype, volstatus, poolid, storageid)
        SELECT %s, 'x', 'Append', p.poolid, s.storageid FROM pool p, storage s
        WHERE p.name = %s AND s.name = %s
    """
    execute(query, unique("volume"), pool, storage)

    sync("--client", "one-fd")

    assert Pool.objects.get(engine_name=pool).storage.engine_name == storage


def test_a_fileset_is_shown_as_far_as_can_be(zone, account, operator):
    name = unique("fs")
    operator(FILESET.format(name=name))

    sync("--client", "one-fd")

    fileset = Fileset.objects.get(engine_name=name)
    assert fileset.include == [{"path": "/srv"}, {"path": "C:/Users"}]
    assert fileset.exclude == ["/srv/cache"]
    assert fileset.options == {"one_filesystem": False, "compression": 5}


def test_a_client_has_the_fileset_and_the_pool_of_its_newest_backup(zone, account, operator):
    name, fileset, pool = unique("fd"), unique("fs"), unique("pool")
    operator(
        CLIENT.format(name=name, address="192.0.2.7"),
        FILESET.format(name=fileset),
        POOL.format(name=pool, retention="1 day"),
    )
    backup(named(name), fileset="operator-files", pool="Default")
    backup(named(name), fileset=fileset, pool=pool)
    backup(named(name), fileset="operator-files", pool="Default", type="R")

    sync("--client", name)

    client = Client.objects.get()
    assert (client.fileset.engine_name, client.pool.engine_name) == (fileset, pool)


def test_without_a_backup_those_of_its_job(zone, account, operator):
    name, fileset = unique("fd"), unique("fs")
    operator(
        CLIENT.format(name=name, address="192.0.2.7"),
        FILESET.format(name=fileset),
        f"Job {{ Name = {unique('job')}; JobDefs = operator; Type = Backup; Client = {name}; "
        f"FileSet = {fileset} }}\n",
    )

    sync("--client", name)

    client = Client.objects.get()
    assert (client.fileset.engine_name, client.pool.engine_name) == (fileset, "Default")


@pytest.mark.parametrize(
    ("uname", "system"),
    [
        ("9.6.7 (10Dec20) x86_64-pc-linux-gnu,debian,bookworm/sid", "unix"),
        ("9.6.7 (10Dec20) x86_64-apple-darwin,osx,20.1", "unix"),
        ("9.6.7 (10Dec20) Microsoft Windows Server 2019 (build 17763), 64-bit", "windows"),
        ("5.2.10 (28Jun12) Linux,Cross-compile,Win64", "windows"),
    ],
)
def test_the_system_is_what_the_file_daemon_said(zone, account, machine, uname, system):
    execute("UPDATE client SET uname = %s WHERE name = %s", uname, machine)

    sync("--client", machine)

    assert Client.objects.get().system == system


def test_the_name_of_a_host_is_resolved(zone, account, operator):
    name = unique("fd")
    operator(CLIENT.format(name=name, address="localhost"))

    sync("--client", name)

    assert Client.objects.get().ip == "127.0.0.1"


def test_an_unresolvable_host_does_not_stop_the_others(zone, account, operator):
    lost, found = unique("a"), unique("b")
    operator(
        CLIENT.format(name=lost, address="host.invalid"),
        CLIENT.format(name=found, address="192.0.2.8"),
    )

    ran = sync("--client", lost, "--client", found)

    assert Client.objects.get().engine_name == found
    where = f"Client '{lost}' was left out, since the address 'host.invalid' cannot be resolved: "
    assert (ran.err.startswith(where), ran.error) == (True, "1 problem, shown above.")


def test_a_duplicate_address_does_not_stop_the_others(zone, account, operator):
    first, second, third = sorted(unique("fd") for _ in range(3))
    operator(
        CLIENT.format(name=first, address="192.0.2.8"),
        CLIENT.format(name=second, address="192.0.2.8"),
        CLIENT.format(name=third, address="192.0.2.9"),
    )

    ran = sync(*(f"--client={name}" for name in (first, second, third)))

    assert [client.name for client in Client.objects.all()] == [first, third]
    assert ran.err.startswith(
        f"Client '{second}' has the address '192.0.2.8', which is that of client '{first}'"
    )


def test_a_client_that_only_the_catalog_knows_is_a_problem(zone, account):
    name = unique("old")
    backup(named(name))

    ran = sync("--client", name)

    assert not Client.objects.exists()
    assert ran.err.startswith(f"Client '{name}' is in the catalog only, and no longer in the ")


def test_an_unknown_client_is_a_problem(zone, account):
    assert sync("--client=nobody").err.startswith("Client 'nobody' is not in the Director's")


def test_a_client_of_another_account_is_left_out(zone, account, machine):
    sync("--client", machine)
    AccountFactory(email="lee@example.org")

    ran = command("sync_bacula", "--account=lee@example.org", "--client", machine)

    assert Client.objects.get().account == account
    assert f"Client '{machine}' belongs to the account" in ran.out
    assert ran.error is None


def test_a_client_that_was_deleted_here_stays_deleted(zone, account, machine):
    sync("--client", machine)
    clients.delete(Client.objects.get())

    ran = sync("--client", machine)

    assert f"Client '{machine}' was deleted here: it was left out." in ran.out
    assert Client.objects.present().count() == 0


def test_all_is_adopted_unless_clients_are_named(zone, account, machine):
    other = unique("old")
    backup(named(other))

    ran = sync()

    assert {"one-fd", machine} <= {client.name for client in Client.objects.all()}
    assert f"1 job of client '{other}' left out: it is not in this account." in ran.out
    assert f"Client '{other}' is in the catalog only" in ran.err


def test_own_resources_are_not_adopted(zone, account, bacula, operator):
    client, pool = f"{bacula.prefix}client-9", f"{bacula.prefix}pool-9"
    operator(
        CLIENT.format(name=client, address="192.0.2.8"), POOL.format(name=pool, retention="1 day")
    )

    sync()

    assert not Client.objects.filter(name=client).exists()
    assert not Pool.objects.filter(name=pool).exists()


def test_the_file_daemon_of_downloads_is_only_adopted_by_its_name(
    zone, account, machine, bacula, settings
):
    options = bacula.options(spool_client=machine)
    settings.BACKUP_ENGINES = {"default": {"BACKEND": ENGINE, "OPTIONS": options}}

    sync()
    assert not Client.objects.filter(name=machine).exists()

    sync("--client", machine)
    assert Client.objects.filter(name=machine).exists()


class TestNames:
    def test_one_that_is_taken_gets_a_number(self, zone, account, machine):
        PoolFactory(account=account, name="Default", storage__zone=zone)
        FilesetFactory(account=account, name="operator-files")
        ClientFactory(account=account, name=machine, ip="192.0.2.99", pool__storage__zone=zone)
        StorageFactory(name="File1", zone__engine="other")

        ran = sync("--client", machine)

        assert Pool.objects.get(engine_name="Default").name == "Default-2"
        assert Fileset.objects.get(engine_name="operator-files").name == "operator-files-2"
        assert Client.objects.get(engine_name=machine).name == f"{machine}-2"
        assert Storage.objects.get(engine_name="File1").name == "File1-2"
        assert f"The client '{machine}' of Bacula is called '{machine}-2' here." in ran.out

    def test_a_storage_that_is_known_by_its_name_is_that_one(self, zone, account):
        storage = StorageFactory(name="File1", zone=zone)

        sync("--client=one-fd")

        assert [pool.storage for pool in Pool.objects.filter(name="Default")] == [storage]

    def test_a_long_one_is_cut(self, zone, account, operator):
        long = unique("x" * 118)
        operator(CLIENT.format(name=long, address="192.0.2.8"))
        backup(named(long))

        sync("--client", long)

        client = Client.objects.get()
        assert (client.name, client.engine_name) == (long[:100], long)
        assert client.jobs.count() == 1

    def test_blanks_and_colons_stay(self, zone, account, operator):
        odd = unique("a b:c.d_e")
        operator(CLIENT.format(name=odd, address="192.0.2.8"))

        sync("--client", odd)

        assert Client.objects.get().name == odd

    def test_one_that_is_another_address_does_not_mislead(self, zone, account, operator):
        operator(CLIENT.format(name="192.0.2.99", address="192.0.2.8"))

        sync("--client=192.0.2.99")

        assert Client.objects.get().name == "client-192.0.2.99"
