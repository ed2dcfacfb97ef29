"""``manage.py sync_bacula`` done again, tried first, or done where it cannot be."""

import datetime as dt

import pytest

from backup_app.models import Client, Fileset, Job, Pool, Storage

from ....support.commands import command
from ....support.factories import AccountFactory, FilesetFactory, ZoneFactory
from ..support.adopting import CLIENT, FILESET, POOL, backup, configured_client, named, sync, unique
from ..support.forged_jobs import execute

pytestmark = pytest.mark.django_db

LATE = dt.timedelta(seconds=4)


@pytest.fixture
def account(db):
    return AccountFactory(email="kim@example.org")


@pytest.fixture
def machine(operator):
    return configured_client(operator)


class TestAgain:
    def test_nothing_is_done_twice(self, zone, account, machine):
        backup(named(machine))
        sync("--client", machine)

        data = sync("--client", machine, "--format=json").data

        assert (data["adopted"], data["updated"], data["jobs"]["adopted"]) == ({}, {}, 0)

    def test_what_bacula_keeps_is_brought_up_to_date(self, zone, account, operator):
        name, fileset, pool = unique("fd"), unique("fs"), unique("pool")
        resources = CLIENT.format(name=name, address="192.0.2.8") + FILESET.format(name=fileset)
        operator(resources, POOL.format(name=pool, retention="9 days"))
        sync("--client", name)
        resources = resources.replace("192.0.2.8", "192.0.2.9").replace("/srv", "/opt")
        operator(resources, POOL.format(name=pool, retention="9 days"))
        execute("UPDATE pool SET volretention = 864000 WHERE name = %s", pool)

        data = sync("--client", name, "--format=json").data

        assert data["updated"] == {"pool": [pool], "fileset": [fileset], "client": [name]}
        assert Client.objects.get().ip == "192.0.2.9"
        assert Fileset.objects.get(name=fileset).include[0] == {"path": "/opt"}
        assert Pool.objects.get(name=pool).retention_days == 10

    def test_times_that_were_not_bacula_s_are_mended(self, zone, account, machine):
        backup(named(machine))
        sync("--client", machine)
        [(started, ended)] = Job.objects.values_list("started", "ended")
        Job.objects.update(started=started + LATE, ended=ended + LATE)

        sync("--client", machine)

        assert [*Job.objects.values_list("started", "ended")] == [(started, ended)]

    def test_what_is_ours_stays(self, zone, account, machine):
        sync("--client", machine)
        other = FilesetFactory(account=account)
        Client.objects.update(fileset=other, schedule="0 1 * * *")

        sync("--client", machine)

        client = Client.objects.get()
        assert (client.fileset, client.schedule) == (other, "0 1 * * *")


class TestDryRun:
    def test_nothing_is_stored(self, zone, account, machine):
        backup(named(machine), fileset="operator-files")

        ran = sync("--client", machine, "--dry-run")

        found = [model.objects.count() for model in (Storage, Pool, Fileset, Client, Job)]
        assert found == [0, 0, 0, 0, 0]
        assert f"Would adopt client '{machine}'." in ran.out
        assert ran.out.endswith("Would adopt 1 job.\n")

    def test_what_it_would_adopt_lacks_nothing(self, zone, account, machine):
        backup(named(machine), fileset="operator-files")

        data = sync("--client", machine, "--dry-run", "--format=json").data

        assert (data["dry_run"], data["remarks"]) == (True, [])


class TestZone:
    def test_one_is_needed(self, bacula, account):
        assert sync().error == "No zone uses a Bacula engine: create one with add_zone first."

    def test_of_several_one_is_named(self, zone, account):
        ZoneFactory(name="south")

        assert sync().error == "Several zones use a Bacula engine: choose one with --zone NAME."
        assert sync("--zone=south", "--client=one-fd").error is None
        assert Client.objects.get().zone.name == "south"

    def test_it_is_one_of_a_bacula(self, zone, account):
        ZoneFactory(name="south", engine="other")

        assert sync("--zone=south").error == "No zone named 'south' uses a Bacula engine."


def test_an_unknown_account_is_refused(zone):
    ran = command("sync_bacula", "--account=x@example.org")

    assert ran.error == "There is no account with the e-mail address 'x@example.org'."


def test_nothing_is_adopted_while_the_director_is_unreachable(zone, account, settings):
    settings.BACKUP_ENGINES["default"]["OPTIONS"]["port"] = 1

    ran = sync()

    assert "The Director at 127.0.0.1:1" in ran.error
    assert not Storage.objects.exists()
