"""How a lost file comes back from a backup by Bacula, in a real browser."""

import re

import pytest
from playwright.sync_api import expect

from backup_app.models import Job

from .support.jobs import back_up, finish

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_deleted_file_is_found_planned_and_restored(bacula, bacula_client, tree, viewer):
    client = bacula_client(tree)
    back_up(client)
    (tree / "letter").write_text("Dear Ada, this is the second version.")
    back_up(client, "Incremental")
    (tree / "letter").unlink()
    back_up(client, "Incremental")
    page = viewer.page
    viewer.open(f"/admin/backup_app/client/{client.pk}/find/?q=LETT")

    expect(page.get_by_text("Gone since")).to_be_visible()
    page.get_by_role("link", name=str(tree / "letter")).click()
    viewer.inspect("bacula-versions", ".backups")
    page.get_by_role("button", name="Restore…").first.click()
    page.get_by_label("Files that are there").select_option("keep")
    page.get_by_role("button", name="Show plan").click()
    expect(page.get_by_text("Bacula cannot tell beforehand")).to_be_visible()
    viewer.inspect("bacula-plan", ".backups")
    page.get_by_role("button", name="Restore now").click()
    expect(page.get_by_text(re.compile(r"Restore \d+ started\."))).to_be_visible()
    job = finish(Job.objects.get(type="restore"))

    assert (job.status, job.request["existing"]) == ("completed", "keep")
    assert (tree / "letter").read_text() == "Dear Ada, this is the second version."
