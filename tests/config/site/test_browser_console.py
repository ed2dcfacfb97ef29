"""A browser walks through all pages, and its console stays empty."""

from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.urls import Resolver404, resolve
from playwright.sync_api import Error

from backup_app.jobs import control
from backup_app.models import Client, Worker
from calendar_app.models import Image
from tests.backup_app.admin.test_in_browser import work
from tests.backup_app.support.factories import SubuserFactory
from tests.calendar_app.support.factories import (
    CategoryFactory,
    EventFactory,
    OrganizerFactory,
    TagFactory,
    VenueFactory,
)

pytestmark = pytest.mark.django_db(transaction=True)

LOGIN = "demo@example.org"
# The apps of the admin that one test walks through, and how many routes it must find there.
PARTS = [(["calendar_app"], 30), (["backup_app"], 40), (["auth", "django_tasks_database"], 12)]
MAX_PAGES = 100


class Crawl:
    """Opens pages: one of each route."""

    def __init__(self, page, root):
        self.page, self.root = page, root
        self.seen = set()
        self.complaints = []
        page.on("console", self.note_message)
        page.on("pageerror", lambda error: self.complain(f"raises {error}"))
        page.on("request", self.note_request)
        page.on("requestfailed", self.note_failure)

    def complain(self, text):
        self.complaints.append(f"{self.page.url} {text}")

    def note_message(self, message):
        if message.type in {"error", "warning"}:
            self.complain(f"says {message.text} {message.location}")

    def note_request(self, request):
        if not request.url.startswith((self.root, "data:", "blob:")):
            self.complain(f"asks {request.url}")

    def note_failure(self, request):
        # The browser itself gives up what is not there yet when it goes to another page, and a page
        # that turns out to be a download.
        if request.failure != "net::ERR_ABORTED":
            self.complain(f"did not get {request.url}: {request.failure}")

    def walk(self, path):
        """Open the page at path and, as far as they are below it, all that pages link to."""
        waiting = [self.root + path]
        for url in waiting:
            assert len(waiting) < MAX_PAGES, waiting
            self.open(url)
            links = self.page.eval_on_selector_all("a[href]", "all => all.map(a => a.href)")
            for link in links:
                if link.startswith(waiting[0]) and kind_of(link) not in self.seen:
                    self.seen.add(kind_of(link))
                    waiting.append(link)

    def open(self, url):
        try:
            self.page.goto(url)
        except Error as e:
            if "Download is starting" not in str(e):
                raise
        # What scripts do next, and what the browser reports of it.
        self.page.evaluate("() => new Promise(requestAnimationFrame)")


def kind_of(url):
    """Return what a page is an example of: its route, or a kind of popup."""
    parts = urlsplit(url)
    try:
        match = resolve(parts.path)
    except Resolver404:
        return parts.path
    name = match.url_name or match.route
    return f"_popup {name.rpartition('_')[2]}" if "_popup=" in parts.query else name


@pytest.fixture
def crawl(live_server, page, tmp_path, settings):
    """A crawl of a service with demo records, a backup among them."""
    settings.DATA_DIR = tmp_path
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.BACKUP_LOCAL_ROOTS = [str(tmp_path)]
    account = User.objects.create_superuser(LOGIN, LOGIN, "secret")
    call_command("seed_demo", user=LOGIN, verbosity=0)
    call_command("seed_backup_demo", user=LOGIN, folder=tmp_path / "files")
    SubuserFactory(account=account)
    Worker.objects.create(name="worker")
    control.start_backup(Client.objects.get(), level="Full", by=LOGIN)
    work()
    page.set_default_timeout(60_000)
    return Crawl(page, live_server.url)


@pytest.fixture
def admin_crawl(crawl):
    """A crawl by a superuser."""
    page = crawl.page
    page.goto(f"{crawl.root}/admin/")
    page.get_by_label("Username").fill(LOGIN)
    page.get_by_label("Password").fill("secret")
    page.get_by_role("button", name="Log in").click()
    return crawl


@pytest.mark.parametrize(("apps", "routes"), PARTS)
def test_the_pages_of_the_admin_leave_the_console_empty(admin_crawl, apps, routes):
    for app in apps:
        admin_crawl.walk(f"/admin/{app}/")

    assert admin_crawl.complaints == []
    assert len(admin_crawl.seen) >= routes, admin_crawl.seen


def test_what_opens_on_the_pages_of_the_admin_leaves_the_console_empty(admin_crawl):
    page = admin_crawl.page
    admin_crawl.open(f"{admin_crawl.root}/admin/password_change/")
    admin_crawl.open(f"{admin_crawl.root}/admin/calendar_app/event/add/")
    page.locator("#id_image + .select2").click()
    page.locator(".select2-results__option").nth(1).wait_for()

    admin_crawl.open(f"{admin_crawl.root}/admin/calendar_app/image/")
    page.get_by_label("Select record").first.check()
    page.locator("select[name=action]").select_option("delete_selected")
    page.get_by_role("button", name="Run").click()
    page.get_by_text("Are you sure").wait_for()

    admin_crawl.open(f"{admin_crawl.root}/admin/calendar_app/tag/import/")
    rows = {"name": "tags.csv", "mimeType": "text/csv", "buffer": b"name\r\nOpen air\r\n"}
    page.locator("input[type=file]").set_input_files(rows)
    page.locator("select[name=format]").select_option(index=1)
    page.get_by_role("button", name="Submit").click()
    page.get_by_role("button", name="Confirm import").wait_for()

    assert admin_crawl.complaints == []


def test_the_public_pages_leave_the_console_empty(crawl):
    EventFactory(slug="secret", password="secret")
    event = EventFactory(
        slug="fair",
        description='<p><img src="/static/calendar_app/icon.svg" alt=""></p>',
        venues=[VenueFactory()],
        organizers=[OrganizerFactory()],
        categories=[CategoryFactory()],
        tags=[TagFactory()],
        image=Image.objects.first(),
    )
    for path in ["", "event/secret/", "calendar/events/v1/events", "schema/", "readyz"]:
        crawl.open(f"{crawl.root}/{path}")
    crawl.open(crawl.root + event.image.file.url)
    for kind in ["venue", "organizer", "category", "tag"]:
        crawl.open(f"{crawl.root}/event/fair/")
        crawl.page.locator(f"dd a[href^='/{kind}/']").click()

    for path, shown in [("docs/", "jobs"), ("redoc/", "List events")]:
        crawl.open(f"{crawl.root}/{path}")
        crawl.page.get_by_role("heading", name=shown).first.wait_for()
        crawl.page.wait_for_load_state("networkidle")

    # A browser says so of any page whose status is an error.
    refused = "/event/secret/ says Failed to load resource: the server responded with a status of"
    assert [each for each in crawl.complaints if f"{refused} 403" not in each] == []
