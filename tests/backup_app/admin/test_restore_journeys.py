"""How a lost or spoiled file comes back, in a real browser."""

import os
import re
import shutil
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.utils import timezone
from playwright.sync_api import expect

from backup_app.jobs import control
from backup_app.models import Client, Job

from .test_in_browser import work

pytestmark = pytest.mark.django_db(transaction=True)
FUTURE = 4 * 10**18  # nanoseconds


@pytest.fixture
def files(viewer, settings, tmp_path):
    """The files of the demo's client, which belongs to the viewer and has a full backup."""
    settings.DATA_DIR = tmp_path
    settings.BACKUP_LOCAL_ROOTS = [str(tmp_path)]
    call_command("seed_backup_demo", user=viewer.user.email, folder=tmp_path / "files")
    back_up("full")
    return tmp_path / "files"


def back_up(level="incremental"):
    control.start_backup(Client.objects.get(), level=level, by="schedule")
    work()


def test_a_deleted_file_is_found_and_restored_without_knowing_the_day(viewer, files):
    letter = files / "documents/letter.txt"
    letter.write_text("Dear Ada, this is the second version.")
    back_up()
    content = letter.read_bytes()
    letter.unlink()
    back_up()
    page = viewer.page
    viewer.open(f"/admin/backup_app/client/{Client.objects.get().pk}/change/")

    page.get_by_role("link", name="Find files").click()
    page.get_by_label("Part of a name").fill("LETT")
    page.get_by_role("button", name="Search all backups").click()
    expect(page.get_by_text("Gone since")).to_be_visible()
    viewer.inspect("search", ".backups")
    page.get_by_role("link", name=str(letter)).click()
    expect(page.get_by_text(re.compile(r"Gone since backup \d+"))).to_be_visible()
    viewer.inspect("versions", ".backups")
    page.get_by_role("button", name="Restore…").first.click()
    expect(page.get_by_text("Nothing is there yet")).to_be_visible()
    page.get_by_role("button", name="Restore now").click()
    expect(page.get_by_text(re.compile(r"Restore \d+ started\."))).to_be_visible()
    work()

    assert letter.read_bytes() == content
    viewer.open(f"/admin/backup_app/client/{Client.objects.get().pk}/differences/")
    expect(page.locator(".backups").get_by_text("removed")).to_be_visible()
    viewer.inspect("differences", ".backups")


def test_a_restore_that_would_overwrite_newer_files_is_planned_changed_and_run(viewer, files):
    letter, budget = files / "documents/letter.txt", files / "documents/budget.csv"
    letter.write_text("written today")
    os.utime(letter, ns=(FUTURE, FUTURE))
    budget.unlink()
    page = viewer.page
    viewer.open(f"/admin/backup_app/client/{Client.objects.get().pk}/change/")

    page.get_by_role("link", name="Browse").click()
    page.get_by_role("button", name="documents", exact=True).click()
    page.get_by_label("letter.txt", exact=True).check()
    page.get_by_label("budget.csv", exact=True).check()
    viewer.inspect("browse-selection", ".backups")
    page.get_by_role("button", name="files", exact=True).click()
    expect(page.get_by_text("2 selected")).to_be_visible()
    page.get_by_role("button", name="Restore…").click()
    expect(page.get_by_text("1 newer version or other file would be overwritten.")).to_be_visible()
    viewer.inspect("plan", ".backups")
    page.get_by_label("Files that are there").select_option("keep-newer")
    page.get_by_role("button", name="Show plan").click()
    expect(page.get_by_text("no, it stays")).to_be_visible()
    page.get_by_role("button", name="Restore now").click()
    expect(page.get_by_text(re.compile(r"Restore \d+ started\."))).to_be_visible()
    work()

    assert letter.read_text() == "written today"
    assert budget.exists()
    viewer.open(f"/admin/backup_app/job/{Job.objects.get(type='restore').pk}/report/")
    expect(page.get_by_text("A newer version is there").first).to_be_visible()
    viewer.inspect("report", ".backups")


def lose(client, files):
    """Lose a machine with its files: nothing answers at its address any more."""
    shutil.rmtree(files)
    Client.objects.filter(pk=client.pk).update(
        connection="ssh", ssh_port=1, host_key="ssh-ed25519 " + "A" * 68
    )


def twin_of(client):
    """The machine that replaces a client's, which is this one under another address."""
    owned = {name: getattr(client, name) for name in ("account", "zone", "pool", "fileset")}
    return Client.objects.create(name="replacement", ip="127.0.0.2", connection="local", **owned)


def contents(folder):
    return {
        path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def test_a_lost_machine_is_restored_as_a_whole_to_another_one(viewer, files):
    client, first = Client.objects.get(), Job.objects.get()
    Job.objects.update(started=timezone.now() - timedelta(days=1))
    held = contents(files)
    (files / "documents/letter.txt").write_text("spoiled, an hour before the disk died")
    back_up()
    lose(client, files)
    twin_of(client)
    page = viewer.page
    viewer.open("/admin/backup_app/client/")

    page.get_by_role("link", name="demo", exact=True).click()
    page.get_by_role("link", name="Find files").click()
    moment = timezone.localtime() - timedelta(hours=1)
    page.get_by_label("As of").fill(moment.strftime("%Y-%m-%dT%H:%M"))
    page.get_by_label("Folder").fill("/")
    page.get_by_role("button", name="Open the backup of then").click()
    expect(page.get_by_text(f"Backup {first.pk} of demo, as of")).to_be_visible()
    page.get_by_label("This whole folder").check()
    page.get_by_role("button", name="Restore…").click()
    expect(page.get_by_text("choose another client above")).to_be_visible()
    viewer.inspect("plan-lost-machine", ".backups")
    page.get_by_label("Client").select_option("replacement")
    page.get_by_role("button", name="Show plan").click()
    expect(page.get_by_text("Nothing is there yet")).to_be_visible()
    expect(page.get_by_text("overwritten")).to_be_hidden()
    page.get_by_role("button", name="Restore now").click()
    expect(page.get_by_text(re.compile(r"Restore \d+ started\."))).to_be_visible()
    work()

    assert contents(files) == held
    page.reload()
    page.get_by_role("link", name="Report").click()
    expect(page.get_by_role("region", name="Report")).to_contain_text("Nothing is there yet")
