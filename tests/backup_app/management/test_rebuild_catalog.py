"""``rebuild_catalog --path``: a folder of backups that the database knows nothing of."""

import shutil
import uuid

import pytest
from django.contrib.auth import get_user_model

from backup_app.models import Client, Fileset, Job, Pool, Storage, Zone

from ..support.commands import command
from ..support.factories import AccountFactory, ClientFactory, StorageFactory
from ..support.local_backups import back_up, local_client, local_roots

pytestmark = pytest.mark.django_db
ANN = {"account__username": "ann", "account__email": "ann@example.org"}


@pytest.fixture(autouse=True)
def folder(tmp_path, backup_root):
    """The folder of a storage with a full backup and one that builds on it; the rest is lost."""
    with local_roots(tmp_path):
        client = local_client(tmp_path, name="web", **ANN)
        Zone.objects.update(name="north", title="The north")
        (tmp_path / "tree/letter").write_text("Dear reader")
        back_up(client)
        (tmp_path / "tree/letter").write_text("Dear readers")
        back_up(client, "Incremental")
        lose_all()
        yield tmp_path / "storage"


def lose_all():
    for model in (Job, Client, Fileset, Pool, Storage, Zone, get_user_model()):
        model.objects.all().delete()


def rebuild(folder, *words):
    return command("rebuild_catalog", "--path", folder, *words)


def test_all_comes_back_from_the_folder_alone(folder):
    label = (folder / "storage.label").read_text().strip()

    ran = rebuild(folder)

    storage = Storage.objects.get()
    assert (storage.name, storage.path, str(storage.label)) == ("storage", str(folder), label)
    assert (storage.zone.name, storage.zone.title) == ("north", "The north")
    assert [job.level for job in Job.objects.order_by("pk")] == ["Full", "Incremental"]
    assert Client.objects.get().account.email == "ann@example.org"
    assert ran.out.startswith("Added storage 'storage' in zone 'The north'.\nJob ")
    assert ran.out.endswith("Restored 2 jobs.\n")
    assert command("check_storage").out == "Checked 1 storage: 0 problems.\n"


def test_an_account_gets_what_was_of_a_lost_one(folder):
    bob = AccountFactory(username="bob", email="bob@example.org")

    rebuild(folder, "--account=bob@example.org")

    assert Client.objects.get().account == bob
    assert list(get_user_model().objects.all()) == [bob]


def test_what_is_of_another_account_stays_so(folder):
    AccountFactory(username="bob", email="bob@example.org")
    ann = AccountFactory(username="ann.2", email="Ann@example.org")

    rebuild(folder, "--account=bob@example.org")

    assert Client.objects.get().account == ann


def test_a_client_of_a_lost_account_is_not_taken_for_ones_own(folder):
    bob = AccountFactory(username="bob", email="bob@example.org")
    own = ClientFactory(pk=987654, name="web", account=bob)

    ran = rebuild(folder, "--account=bob@example.org")

    assert not own.jobs.exists()
    assert "Client 'web' of account 'ann' cannot be restored: account 'bob' already" in ran.err
    assert ran.error == "2 problems, shown above."


def test_a_dry_run_stores_nothing(folder):
    AccountFactory(email="bob@example.org")

    data = rebuild(folder, "--dry-run", "--account=bob@example.org", "--format=json").data

    assert (data["storages"], len(data["jobs"]), data["dry_run"]) == (["storage"], 2, True)
    assert [model.objects.count() for model in (Storage, Zone, Client)] == [0, 0, 0]


def test_the_name_of_another_storage_is_not_taken(folder):
    StorageFactory(name="storage")

    assert rebuild(folder, "--format=json").data["storages"] == ["storage-2"]


class TestRefusals:
    """Of all of them nothing is stored."""

    @pytest.fixture(autouse=True)
    def unchanged(self, folder):
        yield
        assert [Job.objects.count(), Zone.objects.filter(name="north").count()] == [0, 0]

    def test_a_folder_that_is_no_storage(self, folder, tmp_path):
        for path in (tmp_path / "tree", tmp_path / "none", tmp_path / "tree/letter"):
            assert rebuild(path).error == (
                f"The folder '{path}' has no file 'storage.label', so it is no storage."
            )

    def test_the_folder_above_a_storage(self, folder):
        assert rebuild(folder.parent).error == (
            f"The folder '{folder.parent}' has no file 'storage.label', so it is no storage."
            f" Its folder '{folder}' is one."
        )

    def test_a_label_that_is_none(self, folder):
        (folder / "storage.label").write_text("../../../etc/passwd")

        assert "has no file 'storage.label'" in rebuild(folder).error

    def test_an_account_that_does_not_exist(self, folder):
        assert rebuild(folder, "--account=eve@example.org").error == (
            "There is no account with the e-mail address 'eve@example.org'."
        )

    def test_a_storage_that_is_known(self, folder, tmp_path):
        label = uuid.UUID((folder / "storage.label").read_text().strip())
        StorageFactory(name="disk", path="/mnt", label=label)
        expected = f"The folder '{folder}' is that of storage 'disk' already."

        assert rebuild(folder).error == expected
        Storage.objects.update(path=str(folder), label=None)
        assert rebuild(folder).error == expected

    def test_a_path_with_other_storages(self, folder):
        assert rebuild(folder, "disk").error == "Name either storages or --path, not both."

    def test_a_path_that_cannot_be_kept(self, folder, tmp_path):
        place = tmp_path / "new\nline"
        shutil.copytree(folder, place)

        assert "is not an absolute path that a storage can have." in rebuild(place).error
