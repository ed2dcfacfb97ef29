"""What operators do in the admin, from the first page to the last, in a real browser."""

import re
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.utils import timezone
from playwright.sync_api import expect

from backup_app.jobs import control
from backup_app.models import Client, Job

from .test_in_browser import work

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def demo(viewer, settings, tmp_path):
    """The demo's client, which belongs to the viewer."""
    settings.DATA_DIR = tmp_path
    settings.BACKUP_LOCAL_ROOTS = [str(tmp_path)]
    call_command("seed_backup_demo", user=viewer.user.email, folder=tmp_path / "files")
    return Client.objects.get()


def neglect(client, days, folder):
    """Let the only good backup be days old, and the newest one fail for a folder's sake."""
    control.start_backup(client, by="schedule")
    work()
    past = timezone.now() - timedelta(days=days)
    Job.objects.update(created=past, started=past, ended=past)
    Client.objects.update(created=past)
    client.fileset.include = [{"path": folder}]
    client.fileset.save()
    control.start_backup(client, by="schedule")
    work()


def test_a_client_is_overdue_and_says_why_and_is_green_once_that_is_fixed(viewer, demo, tmp_path):
    neglect(demo, days=5, folder="/etc/wrong-place")
    page = viewer.page
    viewer.open("/admin/")

    page.get_by_role("link", name="1 Overdue").click()
    page.get_by_role("link", name="demo", exact=True).click()
    panel = page.locator(".backups")
    expect(panel.get_by_text("A backup was due")).to_contain_text("/etc/wrong-place")
    viewer.inspect("client-overdue", ".backups")

    page.goto(f"{viewer.root}/admin/backup_app/fileset/{demo.fileset_id}/change/")
    page.get_by_label("Folders and files").fill(str(tmp_path / "files"))
    page.get_by_role("button", name="Save", exact=True).click()
    page.goto(f"{viewer.root}/admin/backup_app/client/{demo.pk}/change/")
    page.get_by_role("button", name="Test connection").click()
    expect(page.get_by_text("answers, and can be backed up.")).to_be_visible()
    page.get_by_role("button", name="Back up now").click()
    expect(page.get_by_text(re.compile(r"Backup \d+ started\."))).to_be_visible()
    work()

    page.reload()
    expect(panel.get_by_text("Protected", exact=True)).to_be_visible()
    viewer.inspect("client-protected", ".backups")
    viewer.open("/admin/")
    expect(page.get_by_role("link", name="1 Protected")).to_be_visible()
    expect(page.get_by_role("link", name="0 Overdue")).to_be_visible()


def test_the_form_of_a_client_shows_what_its_connection_needs_and_when_it_runs(viewer, demo):
    page = viewer.page
    viewer.open(f"/admin/backup_app/client/{demo.pk}/change/")
    expect(page.get_by_label("SSH user")).to_be_hidden()

    page.get_by_label("Connection").select_option("ssh")
    expect(page.get_by_label("SSH user")).to_be_visible()
    for name in ("Agent port", "Priority", "Bandwidth limit"):
        expect(page.get_by_label(name)).to_be_hidden()
    expect(page.get_by_label("Bandwidth limit")).to_be_disabled()
    page.get_by_label("Connection").select_option("agent")
    expect(page.get_by_label("Bandwidth limit")).to_be_editable()
    page.get_by_label("Connection").select_option("ssh")
    page.get_by_label("Schedule").fill("0 3 * * 1-5")
    expect(page.get_by_text("At 03:00, Monday through Friday.")).to_be_visible()
    page.get_by_label("Schedule").fill("0 99 * * *")
    expect(page.get_by_text("is not a schedule")).to_be_visible()
    viewer.inspect("client-form")
