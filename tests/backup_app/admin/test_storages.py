"""What is kept, how long and where, in the admin: made, changed and refused as by the API."""

import pytest
from django.contrib.admin.utils import flatten_fieldsets
from django.urls import reverse

from backup_app.models import AuditEntry, Fileset, Pool, Storage, Zone

from ..support.admin_pages import add, change, done, errors
from ..support.factories import (
    ClientFactory,
    FilesetFactory,
    PoolFactory,
    StorageFactory,
    ZoneFactory,
)
from ..support.folder_engine import NAME, FolderEngine

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("staff")]


class DeviceEngine(FolderEngine):
    storage_kind = "device"


class TestFilesets:
    def test_lines_become_lists(self, client, account):
        sent = {
            "account": account.pk,
            "name": "etc",
            "include": "/etc\r\n\r\n/srv/a b/\r\n/etc",
            "exclude": "*.tmp\n/var/cache",
            "databases": "mysql shop\npostgresql  crm",
            "one_filesystem": "on",
            "compression": "5",
            "verify": "on",
            "schedule": "0 3 * * *",
        }

        done(add(client, Fileset, sent))

        made = Fileset.objects.get()
        assert made.include == [{"path": "/etc"}, {"path": "/srv/a b"}]
        assert made.exclude == ["*.tmp", "/var/cache"]
        assert made.databases == [
            {"kind": "mysql", "name": "shop"},
            {"kind": "postgresql", "name": "crm"},
        ]
        assert made.options == {"one_filesystem": True, "compression": 5}
        assert (made.verify, made.schedule) == (True, "0 3 * * *")

    def test_lists_are_shown_as_lines(self, client):
        made = FilesetFactory(
            include=[{"path": "/etc"}, {"path": "/srv"}],
            exclude=["*.tmp", "*.bak"],
            databases=[{"kind": "mysql", "name": "shop"}],
            options={"one_filesystem": True, "compression": 5},
        )

        page = client.get(reverse("admin:backup_app_fileset_change", args=[made.pk]))

        form = page.context["adminform"].form
        assert form["include"].value() == "/etc\n/srv"
        assert form["exclude"].value() == "*.tmp\n*.bak"
        assert form["databases"].value() == "mysql shop"
        assert (form["one_filesystem"].value(), form["compression"].value()) == (True, 5)

    def test_options_that_are_taken_away_are_gone(self, client, account):
        made = FilesetFactory(account=account, options={"one_filesystem": True, "compression": 5})

        done(change(client, made, {"name": "etc", "include": "/etc"}))

        made.refresh_from_db()
        assert made.options == {"one_filesystem": False}

    @pytest.mark.parametrize(
        ("fields", "named"),
        [
            ({"include": "etc"}, {"include"}),
            ({"include": "/a/../b"}, {"include"}),
            ({"include": ""}, {"include"}),
            ({"databases": "oracle crm"}, {"databases"}),
            ({"databases": "mysql"}, {"databases"}),
            ({"compression": "20"}, {"compression"}),
            ({"schedule": "daily"}, {"schedule"}),
            ({"exclude": "a\0b"}, {"exclude"}),
            ({"name": "a/b"}, {"name"}),
            ({"include": "etc", "schedule": "x"}, {"include", "schedule"}),
        ],
    )
    def test_a_wrong_one_is_refused(self, client, account, fields, named):
        sent = {"account": account.pk, "name": "etc", "include": "/etc", **fields}

        assert set(errors(add(client, Fileset, sent))) == named

    def test_databases_alone_are_enough(self, client, account):
        done(add(client, Fileset, {"account": account.pk, "name": "db", "databases": "mysql a"}))

    def test_a_name_that_the_account_has_is_refused(self, client, account):
        FilesetFactory(account=account, name="etc")
        other = FilesetFactory(account=account, name="srv")
        sent = {"account": account.pk, "name": "etc", "include": "/etc"}

        assert set(errors(add(client, Fileset, sent))) == {"__all__"}
        assert set(errors(change(client, other, sent))) == {"__all__"}


class TestPools:
    def test_one_is_made_and_changed(self, client, account):
        sent = {"account": account.pk, "name": "daily", "storage": StorageFactory().pk}
        sent |= {"retention_days": 14, "keep_full": 2}

        done(add(client, Pool, sent))
        made = Pool.objects.get()
        done(change(client, made, sent | {"quota_bytes": 5_000_000}))

        made.refresh_from_db()
        assert (made.account, made.retention_days, made.keep_full) == (account, 14, 2)
        assert made.quota_bytes == 5_000_000
        done(change(client, made, sent | {"quota_bytes": "1.5 TB"}))
        made.refresh_from_db()
        assert made.quota_bytes == 1_500_000_000_000
        page = client.get(reverse("admin:backup_app_pool_change", args=[made.pk]))
        assert 'value="1.5 TB"' in page.content.decode()

    @pytest.mark.parametrize(
        ("fields", "named"),
        [
            ({"retention_days": 0}, {"retention_days"}),
            ({"keep_full": 0}, {"keep_full"}),
            ({"quota_bytes": -1}, {"quota_bytes"}),
            ({"quota_bytes": "500 XB"}, {"quota_bytes"}),
            ({"quota_bytes": "10000 PB"}, {"quota_bytes"}),
            ({"name": "a/b"}, {"name"}),
            ({"storage": ""}, {"storage"}),
        ],
    )
    def test_a_wrong_one_is_refused(self, client, account, fields, named):
        sent = {"account": account.pk, "name": "daily", "storage": StorageFactory().pk}
        sent |= {"retention_days": 14, "keep_full": 2, **fields}

        assert set(errors(add(client, Pool, sent))) == named

    def test_it_stays_in_the_zone_of_its_clients(self, client):
        made = ClientFactory(name="web1").pool
        sent = {"name": made.name, "retention_days": 14, "keep_full": 2}

        response = change(client, made, sent | {"storage": StorageFactory().pk})

        assert "has client 'web1', which is not in zone" in errors(response)["storage"][0]


class TestStoragesAndZones:
    def test_a_storage_is_made(self, client):
        sent = {"name": "disk", "zone": ZoneFactory().pk, "path": "/srv//b/"}

        done(add(client, Storage, sent))

        assert Storage.objects.get().path == "/srv/b"

    @pytest.mark.parametrize("path", ["", "srv", "/srv/../etc", "/taken", "/taken/"])
    def test_a_wrong_path_is_refused(self, client, path):
        StorageFactory(path="/taken")
        sent = {"name": "disk", "zone": ZoneFactory().pk, "path": path}

        assert set(errors(add(client, Storage, sent))) == {"path"}

    @pytest.fixture
    def devices(self, settings):
        """A zone whose engine has devices."""
        engine = {"BACKEND": f"{__name__}.DeviceEngine"}
        settings.BACKUP_ENGINES = {"default": {"BACKEND": NAME}, "devices": engine}
        return ZoneFactory(engine="devices")

    def test_a_device_of_an_engine_is_made(self, client, devices):
        sent = {"name": "tapes", "zone": devices.pk, "path": "", "engine_name": "LTO 8"}

        done(add(client, Storage, sent))

        made = Storage.objects.get()
        assert (made.kind, made.engine_name, made.path) == ("device", "LTO 8", "")

    def test_a_device_has_no_path_and_a_folder_no_name_there(self, client, devices):
        sent = {"name": "x", "zone": devices.pk, "path": "/srv"}
        assert set(errors(add(client, Storage, sent))) == {"path"}

        sent |= {"zone": ZoneFactory().pk, "engine_name": "File1"}
        assert set(errors(add(client, Storage, sent))) == {"engine_name"}

    def test_a_zone_without_engine_gets_none(self, client):
        sent = {"name": "x", "zone": ZoneFactory(engine="gone").pk, "path": "/srv"}

        assert set(errors(add(client, Storage, sent))) == {"zone"}

    def test_it_does_not_leave_the_zone_of_its_pools_clients(self, client):
        made = ClientFactory().pool.storage
        sent = {"name": made.name, "zone": ZoneFactory().pk, "path": made.path}

        assert "which is not in zone" in str(errors(change(client, made, sent)))

    def test_one_whose_pools_have_no_clients_goes_to_another_zone(self, client, account):
        made = StorageFactory(path="/srv/b")
        PoolFactory(account=account, storage=made)
        zone = ZoneFactory()

        done(change(client, made, {"name": made.name, "zone": zone.pk, "path": made.path}))

        made.refresh_from_db()
        assert made.zone == zone

    def test_one_whose_engine_the_settings_lost_says_so(self, client):
        StorageFactory(zone=ZoneFactory(engine="gone"))

        page = client.get(reverse("admin:backup_app_storage_changelist"))

        assert b"BACKUP_ENGINES[&#x27;gone&#x27;] is missing" in page.content

    def test_what_is_deleted_is_in_the_audit_log(self, client):
        zone = ZoneFactory(name="north")

        client.post(reverse("admin:backup_app_zone_delete", args=[zone.pk]), {"post": "yes"})

        entry = AuditEntry.objects.get()
        assert (entry.operation, entry.target) == ("admin: delete zone", "north")

    def test_a_new_one_is_asked_only_for_what_is_filled_in(self, client):
        new = client.get(reverse("admin:backup_app_storage_add"))
        known = client.get(reverse("admin:backup_app_storage_change", args=[StorageFactory().pk]))

        fields = [flatten_fieldsets(page.context["adminform"].fieldsets) for page in (new, known)]
        assert fields[0] == ["name", "zone", "path", "engine_name", "capacity"]
        assert fields[1] == [*fields[0], "used", "free", "kind", "volumes_link", "state"]

    def test_a_zone_has_an_engine_of_the_settings(self, client):
        done(add(client, Zone, {"name": "north", "engine": "default"}))

        assert set(errors(add(client, Zone, {"name": "x", "engine": "none"}))) == {"engine"}

    def test_what_is_in_use_is_not_deleted(self, client):
        made = ClientFactory().pool.storage
        page = reverse("admin:backup_app_storage_delete", args=[made.pk])

        client.post(page, {"post": "yes"})

        assert Storage.objects.filter(pk=made.pk).exists()
