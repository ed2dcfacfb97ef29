from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from backup_app.models import Client, Fileset, Pool, Storage, Zone

from ..support.factories import AccountFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    settings.BACKUP_LOCAL_ROOTS = [str(tmp_path)]
    return tmp_path / "files"


def seed(account, folder):
    output, errors = StringIO(), StringIO()
    call_command(
        "seed_backup_demo", user=account.email, folder=folder, stdout=output, stderr=errors
    )
    return output.getvalue() + errors.getvalue()


def files(folder):
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if not p.is_dir())


def test_this_machine_becomes_a_client_with_files_to_back_up(folder, tmp_path):
    account = AccountFactory()

    output = seed(account, folder)

    client = Client.objects.get()
    assert (client.account, client.name, client.ip) == (account, "demo", "127.0.0.1")
    assert (client.connection, client.schedule) == ("local", "30 2 * * *")
    assert client.fileset.include == [{"path": str(folder)}]
    assert client.pool.storage.path == str(tmp_path / "backups/local")
    assert (tmp_path / "backups/local").stat().st_mode & 0o777 == 0o700
    assert client.zone == client.pool.storage.zone == Zone.objects.get(name="local")
    assert files(folder) == [
        "documents/budget.csv",
        "documents/letter.txt",
        "documents/minutes/february.md",
        "documents/minutes/january.md",
        "documents/newest-minutes.md",
        "mail/ada@example.org.pst",
        "mail/store/grace@example.org/mailbox.edb",
        "pictures/harbour.png",
        "website/index.html",
        "website/style.css",
    ]
    assert "next meeting" in (folder / "documents/minutes/january.md").read_text().lower()
    assert "shop" in (folder / "documents/newest-minutes.md").read_text()
    assert output == (
        "Created zone 'local', storage 'local', pool 'demo', fileset 'demo', client 'demo', "
        f"10 files in '{folder}'.\n"
    )


def test_again_it_makes_what_is_missing_and_changes_nothing(folder):
    account = AccountFactory()
    seed(account, folder)
    (folder / "documents/letter.txt").write_text("My own words.")
    (folder / "website/style.css").unlink()
    (folder / "documents/newest-minutes.md").unlink()
    (folder / "documents/newest-minutes.md").symlink_to("nowhere")
    Client.objects.update(schedule="", name="mine")

    output = seed(account, folder)

    assert output == f"Created 1 file in '{folder}'.\n"
    assert (folder / "documents/letter.txt").read_text() == "My own words."
    assert (folder / "documents/newest-minutes.md").readlink().name == "nowhere"
    assert Client.objects.get().name == "mine"
    assert seed(account, folder).startswith("Nothing to create")
    assert [model.objects.count() for model in (Zone, Storage, Pool, Fileset)] == [1, 1, 1, 1]


def test_it_says_when_the_files_may_not_be_read(folder, settings):
    settings.BACKUP_LOCAL_ROOTS = ""

    output = seed(AccountFactory(), folder)

    assert output.endswith(
        f"Backups of '{folder}' fail until BACKUP_LOCAL_ROOTS has it or a folder above it.\n"
    )


def test_an_unknown_account_is_refused_before_anything_is_made(folder):
    with pytest.raises(
        CommandError, match=r"There is no account with the e-mail address 'x@example\.org'"
    ):
        call_command("seed_backup_demo", user="x@example.org", folder=folder)

    assert not folder.exists()
