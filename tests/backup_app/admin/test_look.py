"""How the pages of the admin look, wide and narrow, light and dark; all can use them."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from backup_app.alerts import deliveries, webhook
from backup_app.models import AlertRule, AlertState, Job, MaintenancePlan

from ..support.estate import backup, make_estate
from ..support.receivers import http_receiver

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_start_page_shows_how_backups_do_and_what_runs_goes_on(viewer):
    clients = make_estate(viewer.user)
    viewer.open("/admin/")
    page = viewer.page
    expect(page.get_by_text("63 %")).to_be_visible()
    viewer.inspect("start", ".backups")

    Job.objects.filter(status="running").update(bytes_done=54 * 10**9)

    expect(page.get_by_text("90 %")).to_be_visible()
    page.get_by_role("link", name="Overdue").click()
    expect(page.locator("#result_list tbody tr")).to_have_count(1)
    viewer.inspect("clients")

    newest = backup(clients["web1"], hours_ago=5, level="Differential")
    backup(clients["web1"], hours_ago=3, type="verify", level=None, parent=newest)
    viewer.open("/admin/backup_app/job/")
    viewer.inspect("jobs", "#result_list")


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


def test_a_message_that_did_not_arrive_is_seen_and_sent_again(viewer, settings):
    settings.BACKUP_WEBHOOK_NETWORKS = "127.0.0.1"
    client = make_estate(viewer.user)["mail"]
    page = viewer.page
    with http_receiver() as receiver:
        receiver.answers.append((410, {}))
        target = {"channel": "webhook", "target": receiver.url, "secret": webhook.new_secret()}
        rule = AlertRule.objects.create(name="on call", **target)
        AlertState.objects.create(rule=rule, subject="x", event="job.failed", client=client)
        deliveries.add(rule, "job.failed", f"The backup of client '{client}' failed.")
        deliveries.send_due()

        viewer.open("/admin/backup_app/alertrule/")
        page.get_by_role("link", name="on call").click()
        expect(page.get_by_text(rule.secret)).to_be_visible()
        expect(page.get_by_text("Job failed: mail")).to_be_visible()
        viewer.inspect("alert-rule", "#main")
        viewer.open("/admin/backup_app/alertdelivery/")
        viewer.inspect("alert-deliveries", "#main")
        page.get_by_role("link", name="The backup of client 'mail' failed.").click()
        page.get_by_role("button", name="Send again").click()
        expect(page.get_by_text("Sent again: 1 alert delivery.")).to_be_visible()
        deliveries.send_due()
        page.reload()

        expect(page.get_by_text("status 204")).to_be_visible()
        viewer.inspect("alert-delivery", "#main")
        assert len(receiver.opened(rule.secret)) == 2


def test_a_plan_of_maintenance_shows_what_its_task_needs_and_how_it_went(viewer):
    pool = make_estate(viewer.user)["web1"].pool
    plan = MaintenancePlan.objects.create(task="verify", pool=pool)
    times = {"started": timezone.now(), "ended": timezone.now()}
    plan.runs.create(status="completed", message="Started 2 of 4 verifications.", **times)
    problem = "Backup 7: its volume is gone."
    plan.runs.create(status="problems", message="Started none.", problems=[problem], **times)
    page = viewer.page
    viewer.open("/admin/backup_app/maintenanceplan/")
    viewer.inspect("maintenance-plans", "#main")

    page.get_by_role("link", name="verify", exact=True).click()
    expect(page.get_by_text(problem)).to_be_visible()
    expect(page.get_by_label("Files")).to_be_hidden()
    page.get_by_label("Schedule").fill("0 6 * * 0")
    expect(page.get_by_text("At 06:00, only on Sunday.")).to_be_visible()
    page.get_by_role("button", name="Run now").click()
    expect(page.get_by_text("Started: 1 maintenance plan.")).to_be_visible()
    viewer.inspect("maintenance-plan", "#main")

    page.get_by_label("Task").select_option("check")
    expect(page.get_by_label("Storage")).to_be_visible()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Choose the storage that this is about.")).to_be_visible()
