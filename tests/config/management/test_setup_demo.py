from io import StringIO

import pytest
from django.contrib.auth import authenticate, get_user_model
from django.core.management import call_command

from backup_app.accounts import authentication
from backup_app.models import Client
from calendar_app.models import Event

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.BACKUP_LOCAL_ROOTS = [str(tmp_path / "demo-files")]
    return tmp_path


def setup_demo():
    output = StringIO()
    call_command("setup_demo", stdout=output)
    return output.getvalue()


def credentials(folder):
    lines = (folder / "demo.env").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines)


def test_the_first_run_makes_records_and_an_account_with_a_random_password(folder):
    output = setup_demo()

    demo = credentials(folder)
    user = authenticate(username=demo["DEMO_EMAIL"], password=demo["DEMO_PASSWORD"])
    assert user.is_superuser
    assert demo["DEMO_PASSWORD"] in output
    assert (folder / "demo.env").stat().st_mode & 0o777 == 0o600
    assert Event.objects.exists()


def test_the_first_run_makes_a_client_with_files_and_a_key_to_the_backup_interface(folder):
    output = setup_demo()

    demo = credentials(folder)
    account = authentication.account_of(demo["DEMO_EMAIL"], demo["DEMO_API_KEY"])
    client = Client.objects.get(account=account, ip=demo["DEMO_CLIENT_IP"])
    assert client.fileset.include == [{"path": demo["DEMO_FOLDER"]}]
    assert (folder / "demo-files/documents/letter.txt").exists()
    assert "client 'demo'" in output
    assert demo["DEMO_API_KEY"] not in output


def test_a_demo_of_before_gets_the_backups_once(folder):
    get_user_model().objects.create_superuser("demo@example.org", "demo@example.org", "secret")
    before = "DEMO_EMAIL=demo@example.org\nDEMO_PASSWORD=secret\n"
    (folder / "demo.env").write_text(before)

    first = setup_demo()

    kept = (folder / "demo.env").read_text()
    assert kept.startswith(before)
    assert (folder / "demo.env").stat().st_mode & 0o777 == 0o600
    assert Client.objects.get().name == "demo"
    assert "client 'demo'" in first
    Client.objects.all().delete()
    assert setup_demo() == f"The demo account is in {folder / 'demo.env'}.\n"
    assert (folder / "demo.env").read_text() == kept
    assert not Client.objects.exists()


def test_a_demo_whose_account_is_gone_is_left_alone(folder):
    get_user_model().objects.create_user("ann")
    (folder / "demo.env").write_text("DEMO_EMAIL=demo@example.org\n")

    setup_demo()

    assert (folder / "demo.env").read_text() == "DEMO_EMAIL=demo@example.org\n"
    assert not Client.objects.exists()


def test_a_later_run_brings_nothing_back(folder):
    setup_demo()
    before = credentials(folder)
    Event.objects.all().delete()

    output = setup_demo()

    assert credentials(folder) == before
    assert not Event.objects.exists()
    assert output == f"The demo account is in {folder / 'demo.env'}.\n"


def test_a_new_database_gets_a_demo_of_its_own(folder):
    setup_demo()
    before = credentials(folder)
    Client.objects.all().delete()
    get_user_model().objects.all().delete()

    setup_demo()

    assert credentials(folder) != before


def test_an_installation_with_accounts_gets_none(folder):
    get_user_model().objects.create_user("ann")

    assert setup_demo() == ""

    assert list(folder.iterdir()) == []


def test_production_gets_none(folder, settings):
    settings.PRODUCTION = True

    assert setup_demo() == "The demo cannot be created in production.\n"

    assert not get_user_model().objects.exists()
