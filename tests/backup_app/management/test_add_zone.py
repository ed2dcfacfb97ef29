"""A zone made by a command: what the admin refuses is refused, and nothing is made by halves."""

import pytest
from django.core.management import call_command

from backup_app.models import Storage, Zone

from ..support.commands import command
from ..support.factories import StorageFactory, ZoneFactory

pytestmark = pytest.mark.django_db
BACULA = {"BACKEND": "backup_app.engines.bacula.BaculaEngine"}


@pytest.fixture(autouse=True)
def engines(settings):
    settings.BACKUP_ENGINES = {
        "default": {"BACKEND": "backup_app.engines.archive.ArchiveEngine"},
        "bacula": BACULA,
    }


def test_a_zone_alone():
    ran = command("add_zone", "office", "--title", "Main office")

    assert ran.out == "Created the zone 'office' with the engine 'default'.\n"
    assert Zone.objects.values_list("name", "title", "engine").get() == (
        "office",
        "Main office",
        "default",
    )


def test_with_a_device_of_bacula():
    words = "network --engine bacula --storage disk --engine-name File1".split()

    ran = command("add_zone", *words, "--format=json")

    assert ran.data == {"zone": "network", "engine": "bacula", "storage": "disk", "warnings": []}
    made = Storage.objects.select_related("zone").get()
    assert (made.zone.engine, made.kind, made.engine_name) == ("bacula", "device", "File1")


def test_with_a_folder_which_is_labelled(tmp_path):
    command("add_zone", "office", "--storage=disk", f"--path={tmp_path}/")

    made = Storage.objects.get()
    assert (made.kind, made.path) == ("folder", str(tmp_path))
    assert made.label
    assert any(tmp_path.iterdir())


def test_a_folder_that_is_missing_is_a_warning(tmp_path):
    ran = command(
        "add_zone", "office", "--storage=disk", f"--path={tmp_path}/none", "--format=json"
    )

    assert str(tmp_path) in ran.err
    assert ran.data["warnings"] == [ran.err.strip()]
    assert Storage.objects.count() == 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("a/b", "'a/b': Enter a valid"),
        ("old", "'old': Zone with this Name already exists."),
        ("x --engine none", "BACKUP_ENGINES has no 'none', only 'default', 'bacula'."),
        ("x --path /srv", "--path '/srv' is of a storage: name it with --storage NAME."),
        ("x --storage disk", "A storage in a folder needs the folder's absolute path."),
        ("x --storage disk --path srv", "'srv' is not an absolute path without '..'."),
        ("x --storage disk --path /a/../b", "'/a/../b' is not an absolute path without '..'."),
        ("x --storage disk --path /taken/", "Storage 'used' already uses the folder '/taken'."),
        ("x --storage used --path /srv", "'used': Storage with this Name already exists."),
        ("x --engine bacula --storage d --path /srv", "writes to devices, which have no path."),
        ("x --storage d --path /s --engine-name F", "Only devices have a name in the engine."),
    ],
)
def test_what_is_wrong_is_said_and_nothing_made(words, sentence):
    StorageFactory(name="used", path="/taken", zone=ZoneFactory(name="old"))

    ran = command("add_zone", *words.split())

    assert sentence in ran.error
    assert [zone.name for zone in Zone.objects.all()] == ["old"]


def test_storages_of_several_zones_without_a_path_do_not_collide():
    call_command("add_zone", "one", "--engine=bacula", "--storage=disk")
    call_command("add_zone", "two", "--engine=bacula", "--storage=tape")

    assert Storage.objects.filter(path="").count() == 2
