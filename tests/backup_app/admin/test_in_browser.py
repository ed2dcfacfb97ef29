"""A backup made, followed and looked through in the admin, in a real browser."""

import re

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core.management import call_command
from django_tasks_db.management.commands.db_worker import Worker
from playwright.sync_api import expect

from backup_app.models import Job

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def folder(settings, tmp_path):
    """The demo's files, backed up for the account that logs in."""
    settings.DATA_DIR = tmp_path
    settings.BACKUP_LOCAL_ROOTS = [str(tmp_path)]
    User.objects.create_superuser("demo@example.org", "demo@example.org", "secret")
    call_command("seed_backup_demo", user="demo@example.org", folder=tmp_path / "files")
    return tmp_path / "files"


@pytest.fixture
def site(live_server, page, folder, tmp_path):
    """A browser's page at the admin, with a photographer of what it shows."""
    page.set_default_timeout(20_000)
    page.set_viewport_size({"width": 1400, "height": 1000})
    page.photograph = lambda name: page.screenshot(path=tmp_path / f"{name}.png", full_page=True)
    page.admin = f"{live_server.url}/admin/"
    page.goto(page.admin)
    page.get_by_label("Username").fill("demo@example.org")
    page.get_by_label("Password").fill("secret")
    page.get_by_role("button", name="Log in").click()
    page.photograph("index")
    return page


def work():
    """Do what waits for the background worker."""
    Worker(
        queue_names=["*"],
        excluded_queue_names=[],
        backend_name="default",
        worker_id="browser",
        batch=True,
        interval=0,
        startup_delay=False,
        max_tasks=None,
    ).run()


def open_list(site, model):
    site.goto(f"{site.admin}backup_app/{model}/")


def do(site, action):
    """Do an action to the first record of a list."""
    site.locator("input.action-select").first.check()
    site.locator("select[name=action]").select_option(action)
    site.get_by_role("button", name=re.compile("Run|Go")).click()  # Unfold's or Django's


def choose(site, field, text):
    """Choose from what a field that searches offers."""
    site.locator(f"[aria-labelledby=select2-id_{field}-container]").click()
    site.locator(".select2-search__field").fill(text)
    site.locator(".select2-results__option").get_by_text(text).first.click()


def walk(site, *names):
    for name in names:
        site.get_by_role("button", name=name, exact=True).click()


def test_a_backup_is_started_followed_looked_through_and_restored(site, folder):
    open_list(site, "client")
    site.photograph("clients-before")
    do(site, "back_up")
    expect(site.get_by_text("Backup started: 1 client.")).to_be_visible()
    open_list(site, "job")
    expect(site.locator("#result_list").get_by_text("queued")).to_be_visible()

    work()

    site.reload()
    expect(site.locator("#result_list").get_by_text("completed")).to_be_visible()
    site.photograph("jobs")
    backup = Job.objects.get()
    assert (backup.requested_by, backup.level) == ("demo@example.org", "Full")
    site.goto(f"{site.admin}backup_app/job/{backup.pk}/change/")
    expect(site.get_by_text("The backup of client 'demo' begins.").last).to_be_visible()
    site.photograph("job")

    site.get_by_role("link", name="Browse").click()
    walk(site, *[name for name in str(folder).split("/") if name], "documents")
    expect(site.get_by_text("letter.txt", exact=True)).to_be_visible()
    site.photograph("browse")
    (folder / "documents/letter.txt").write_text("spoilt")
    site.get_by_label("letter.txt", exact=True).check()
    site.get_by_role("button", name="Restore…").click()
    expect(site.get_by_text("Plan", exact=True)).to_be_visible()
    site.get_by_role("button", name="Restore now").click()
    expect(site.get_by_text(re.compile(r"Restore \d+ started\."))).to_be_visible()

    work()

    site.reload()
    expect(site.get_by_text("Completed", exact=True).first).to_be_visible()
    site.photograph("restored")
    assert (folder / "documents/letter.txt").read_text().startswith("Dear Ada")
    open_list(site, "client")
    site.photograph("clients-after")


def test_a_pool_is_made_from_the_form_of_a_client(site):
    site.goto(f"{site.admin}backup_app/client/add/")
    make = site.locator("#add_id_pool")
    label = "New pool" if apps.is_installed("unfold") else "Add another pool"
    expect(make).to_have_accessible_name(label)

    with site.expect_popup() as opened:
        make.click()
    window = opened.value
    window.get_by_label("Name").fill("weekly")
    choose(window, "account", "demo@example.org")
    choose(window, "storage", "local")
    with window.expect_event("close"):
        window.get_by_role("button", name="Save").first.click()

    expect(site.locator("#id_pool option:checked")).to_have_text(re.compile("weekly"))
    expect(site.locator("#change_id_pool")).to_be_visible()
    site.photograph("client-form")
