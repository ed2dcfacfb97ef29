"""How the pages of the admin look, wide and narrow, light and dark; all can use them."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from backup_app.models import Job

from ..support.estate import make_estate

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_start_page_shows_how_backups_do_and_what_runs_goes_on(viewer):
    make_estate(viewer.user)
    viewer.open("/admin/")
    page = viewer.page
    expect(page.get_by_text("63 %")).to_be_visible()
    viewer.inspect("start", ".backups")

    Job.objects.filter(status="running").update(bytes_done=54 * 10**9)

    expect(page.get_by_text("90 %")).to_be_visible()
    page.get_by_role("link", name="Overdue").click()
    expect(page.locator("#result_list tbody tr")).to_have_count(1)
    viewer.inspect("clients")


def test_the_page_of_a_job_is_live_until_the_job_has_ended(viewer):
    clients = make_estate(viewer.user)
    job = clients["files"].jobs.get(status="running")
    job.log.create(message="Reading /srv/files.")
    job.log.create(level="warning", message="/srv/files/mail.sock is a socket, which is left out.")
    page = viewer.page
    viewer.open(f"/admin/backup_app/job/{job.pk}/change/")
    expect(page.get_by_text("38.0 GB of 60.0 GB")).to_be_visible()

    job.log.create(message="Reading /srv/films.")
    Job.objects.filter(pk=job.pk).update(bytes_done=54 * 10**9)
    expect(page.get_by_text("Reading /srv/films.")).to_be_visible()
    expect(page.get_by_text("90 %")).to_be_visible()
    viewer.inspect("job-live", ".backups")

    Job.objects.filter(pk=job.pk).update(status="completed", ended=timezone.now(), bytes=55 * 10**9)
    expect(page.get_by_role("link", name="Restore")).to_be_visible()
    expect(page.get_by_text("Completed", exact=True)).to_be_visible()
    viewer.inspect("job-ended")
