"""How the pages of the admin look, wide and narrow, light and dark; all can use them."""

import pytest
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
