"""The volumes of a storage in the admin, as a Bacula that runs has them."""

import shutil

import pytest
from django.core.cache import cache
from django.db import connections
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from playwright.sync_api import expect

from backup_app.admin.pages import storage as storage_page
from backup_app.admin.shared import columns
from backup_app.engines import get_engine
from backup_app.engines.bacula.director.director import Director

from ....support.factories import StorageFactory
from ..support.forged_jobs import execute
from ..support.operator import backed_up

pytestmark = pytest.mark.django_db


@pytest.fixture
def disk(bacula_zone):
    return bacula_zone.storages.get()


@pytest.fixture
def forge_volumes(bacula):
    """A function that adds volumes of a status to the catalog, as if they were in ``File1``."""

    def make(*names, status="Full", slot=0):
        for name in names:
            execute(
                "INSERT INTO media (volumename, slot, inchanger, poolid, mediatype, volstatus,"
                " volbytes, lastwritten, storageid) SELECT %s, %s, %s, poolid, 'LTO', %s, 5000000,"
                " '2030-01-02 03:04:05', storageid FROM pool, storage"
                " WHERE pool.name = 'Default' AND storage.name = 'File1'",
                *(name, slot, int(bool(slot)), status),
            )

    yield make
    execute("DELETE FROM media WHERE mediatype = 'LTO'")


def opened(client, storage, **query):
    return client.get(reverse("admin:backup_app_storage_volumes", args=[storage.pk]), query)


def rows_of(page):
    return {row["volume"].name: row for row in page.context["rows"]}


@pytest.mark.usefixtures("staff")
class TestPage:
    def test_it_has_what_bacula_wrote_and_the_free_space(
        self, client, bacula, director, own, disk, forge_volumes
    ):
        backed_up(bacula, director)
        forge_volumes("tape-1", status="Error", slot=7)

        page = opened(client, disk)

        rows, text = rows_of(page), page.content.decode()
        ((written,),) = bacula.query(
            "SELECT volumename FROM media ORDER BY lastwritten DESC NULLS LAST OFFSET 1 LIMIT 1"
        )
        volume = rows[written]["volume"]
        assert (volume.pool, volume.media_type, volume.status) == ("Default", "File1", "Used")
        assert volume.bytes == (bacula.volumes / written).stat().st_size
        assert (rows["tape-1"]["state"], rows["tape-1"]["volume"].slot) == ("error", 7)
        assert "slot 7" in text
        assert "2030-01-02 03:04" in text
        assert page.context["free"].bytes > 0
        assert "free on the disk of the storage daemon" in text

    def test_it_takes_one_query_of_the_catalog_and_goes_on(
        self, client, disk, forge_volumes, monkeypatch
    ):
        monkeypatch.setattr(storage_page, "PER_PAGE", 2)
        forge_volumes("tape-1", "tape-2", "tape-3")

        with CaptureQueriesContext(connections["bacula"]) as asked:
            first = opened(client, disk)
        second, beyond = opened(client, disk, p=2), opened(client, disk, p=99999999)

        assert len([each for each in asked if "FROM media" in each["sql"]]) == 1
        assert list(rows_of(first)) == ["tape-3", "tape-2"]
        assert next(iter(rows_of(second))) == "tape-1"
        assert beyond.status_code == 302
        assert b'href="?p=2"' in first.content

    def test_a_daemon_elsewhere_has_unknown_space(self, client, disk, operator):
        operator(
            "Storage { Name = Far; Address = 192.0.2.7; Password = x; Device = Dev0; "
            "Media Type = File1 }\n"
        )
        far = StorageFactory(name="far", engine_name="Far", path="", zone=disk.zone)

        page = opened(client, far)

        assert page.context["free"].bytes is None
        text = page.content.decode()
        assert "The storage daemon is on another host, &#x27;192.0.2.7&#x27;." in text
        assert "No volume has been written yet." in text

    def test_a_director_that_is_unreachable_leaves_the_volumes(
        self, client, bacula, disk, settings, forge_volumes
    ):
        forge_volumes("tape-1")
        settings.BACKUP_ENGINES["default"]["OPTIONS"] = bacula.options(port=9)

        page = opened(client, disk)

        assert "tape-1" in rows_of(page)
        assert "cannot be reached" in page.context["free"].reason

    def test_the_list_of_storages_leads_there(self, client, disk):
        page = client.get(reverse("admin:backup_app_storage_changelist"))

        assert reverse("admin:backup_app_storage_volumes", args=[disk.pk]) in page.content.decode()


def test_nothing_is_told_to_who_may_not_see_storages(client, django_user_model, disk):
    client.force_login(django_user_model.objects.create_user("eve", is_staff=True))

    assert opened(client, disk).status_code == 403


def space_of(api):
    ((storage, *others),) = api.post("/api/storages").json().values()
    assert others == []
    return storage


class TestSpace:
    """What is free where the storage daemon is this host's, in lists."""

    @pytest.fixture(autouse=True)
    def unknown(self):
        cache.clear()

    def test_it_is_that_of_the_disk(self, api, bacula, disk, settings):
        there = shutil.disk_usage(bacula.volumes)

        found = space_of(api)

        assert found["capacity"] == there.total
        assert abs(found["free"] - there.free) < 1_000_000_000

    def test_without_a_director_it_is_unknown(self, api, bacula, disk, settings):
        settings.BACKUP_ENGINES["default"]["OPTIONS"] = bacula.options(port=9)

        assert space_of(api)["free"] is None

    def test_a_director_that_has_answered_is_not_asked_again(self, api, bacula, disk, monkeypatch):
        space_of(api)
        monkeypatch.setattr(Director, "ask", lambda *args, **options: pytest.fail("was asked"))

        assert space_of(api)["free"] > 0

    def test_elsewhere_it_is_unknown(self, api, bacula, disk, settings):
        settings.BACKUP_ENGINES["default"]["OPTIONS"] = bacula.options(storage_config="")

        assert space_of(api)["free"] is None

    def test_the_admin_lists_it(self, client, staff, disk):
        page = client.get(reverse("admin:backup_app_storage_changelist"))

        free = get_engine().disk_usage(disk)[1]
        assert columns.size(free).split(".")[0] in page.content.decode()


@pytest.mark.django_db(transaction=True)
def test_the_volumes_are_seen_from_the_list_of_storages(viewer, disk, forge_volumes):
    forge_volumes("tape-1", status="Error", slot=7)
    forge_volumes("tape-2", status="Append")
    viewer.open("/admin/backup_app/storage/")

    viewer.page.get_by_role("link", name="Show volumes").click()

    broken, fine = (viewer.page.get_by_role("row", name=name) for name in ("tape-1", "tape-2"))
    expect(broken).to_contain_text("slot 7")
    expect(broken.get_by_text("error")).to_be_visible()
    expect(fine.get_by_text("appendable")).to_be_visible()
    expect(viewer.page.get_by_text("free on the disk of the storage daemon")).to_be_visible()
    viewer.inspect("bacula-volumes", ".backups")
