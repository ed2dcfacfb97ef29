"""What people do across the parts of the calendar, seen wherever it shows."""

import csv
import datetime as dt
import io
import os
import re
import shutil
import subprocess

import pytest
from playwright.sync_api import expect

from calendar_app.models import Event
from calendar_app.services import events, series
from calendar_app.services.series import Rule
from tests.prerequisites import need
from tests.support.browser import Viewer, log_in

from .support.api_client import P
from .support.factories import EventFactory, UserFactory, VenueFactory

pytestmark = pytest.mark.django_db(transaction=True)
YEAR = dt.datetime.now(dt.UTC).year + 1
START = dt.datetime(YEAR, 3, 1, 19)
WEEK = dt.timedelta(weeks=1)
SYNC = """
[general]
status_path = "{folder}/status/"
[pair choir]
a = "here"
b = "site"
collections = null
[storage here]
type = "filesystem"
path = "{folder}/calendar/"
fileext = ".ics"
[storage site]
type = "http"
url = "{url}"
"""
BAD = {
    21: "'someday' is not a date",
    91: "is before start_date",
    200: "title cannot be empty",
}
KHAL = """
[calendars]
[[choir]]
path = {folder}/calendar
[locale]
local_timezone = Europe/Paris
default_timezone = Europe/Paris
dateformat = %Y-%m-%d
longdateformat = %Y-%m-%d
timeformat = %H:%M
datetimeformat = %Y-%m-%d %H:%M
longdatetimeformat = %Y-%m-%d %H:%M
"""


@pytest.fixture
def listed_by_khal(tmp_path):
    """A function that subscribes to a calendar and returns what khal lists of 60 days."""
    for name in ("khal", "vdirsyncer"):
        need(shutil.which(name), "with calendar programs", "apt install khal vdirsyncer")
    env = {**os.environ, "HOME": str(tmp_path), "LC_ALL": "C.UTF-8"}
    for name in ("CONFIG", "DATA", "CACHE"):
        env[f"XDG_{name}_HOME"] = str(tmp_path / name.lower())

    def run(program, config, *command):
        path = tmp_path / f"{program}.conf"
        path.write_text(config)
        called = [program, "-c", path, *command]
        done = subprocess.run(called, env=env, capture_output=True, text=True, timeout=60)  # noqa: S603
        assert done.returncode == 0, done.stderr
        return done.stdout

    def listed(url):
        sync = SYNC.format(folder=tmp_path, url=url)
        (tmp_path / "calendar").mkdir(exist_ok=True)
        run("vdirsyncer", sync, "discover")
        run("vdirsyncer", sync, "sync", "--force-delete")
        shape = ("--format", "{start} {title} {location}", "--day-format", "")
        config = KHAL.format(folder=tmp_path)
        return run("khal", config, "list", *shape, f"{START:%Y-%m-%d}", "60d").splitlines()

    return listed


@pytest.fixture
def choir(db):
    """Return the dates of a weekly series of five, the second one moved and the third cancelled."""
    end = START + dt.timedelta(hours=2)
    first = Event(title="Choir", start_date=START, end_date=end, timezone="Europe/Paris")
    series.create(first, Rule("FREQ=WEEKLY;COUNT=5"), venues=[VenueFactory(name="Old Mill")])
    dates = list(Event.objects.order_by("start_utc"))
    later = dates[1].start_date + dt.timedelta(days=1, hours=1)
    events.move(dates[1], later, seen=dates[1].start_date)
    series.cancel(dates[2])
    return [START, later, dates[2], START + 3 * WEEK, START + 4 * WEEK]


def test_a_weekly_series_with_a_date_moved_and_one_cancelled(viewer, choir, listed_by_khal):
    """In the month, on the pages, in the API, as iCalendar, and in a calendar program."""
    cancelled, page = choir.pop(2), viewer.page

    viewer.open(f"/admin/calendar_app/event/calendar/?day={START:%Y-%m-%d}")
    days = page.locator("[data-day]").filter(has=page.get_by_role("link", name="Choir"))
    shown = {day.get_attribute("data-day") for day in days.all()}
    assert {f"{start:%Y-%m-%d}" for start in choir} <= shown
    assert f"{START + WEEK:%Y-%m-%d}" not in shown
    viewer.open(f"/events/month/{YEAR}-03/")
    expect(page.get_by_role("link", name="Choir")).to_have_count(4)
    page.get_by_role("link", name="Choir").nth(1).click()
    expect(page.get_by_text("20:00").first).to_be_visible()

    address = f"{viewer.root}{P}/events?start_date={YEAR}-03-01"
    api = page.request.get(address).json()["events"]
    assert [each["start_date"] for each in api] == [str(start) for start in choir]
    ics = page.request.get(f"{address}&format=ics").text()
    names = ("BEGIN:VEVENT", "RRULE:", "EXDATE", "RECURRENCE-ID")
    assert [ics.count(name) for name in names] == [2, 1, 1, 1]
    expected = [f"{each['start_date'][:16]} {each['title']} Old Mill" for each in api]
    assert listed_by_khal(f"{address}&format=ics") == expected

    series.restore(cancelled, viewer.user)
    again = [*expected, f"{START + 2 * WEEK:%Y-%m-%d %H:%M} Choir Old Mill"]
    assert listed_by_khal(f"{address}&format=ics") == sorted(again)


def test_two_editors_change_one_event(viewer, browser, tmp_path):
    """The second one is told, sees what the first has saved, and decides."""
    event = EventFactory(title="Choir")
    path = f"/admin/calendar_app/event/{event.pk}/change/"
    second = UserFactory(role="Editor", is_staff=True)
    context = browser.new_context()
    context.set_default_timeout(20_000)
    hers = Viewer(context.new_page(), viewer.root, tmp_path, second)
    log_in(hers.page, viewer.root, second)
    for each in (viewer, hers):
        each.open(path)

    viewer.page.get_by_label("Title").fill("Choir of the school")
    viewer.page.get_by_role("button", name="Save", exact=True).click()
    expect(viewer.page.get_by_text("was changed successfully")).to_be_visible()
    hers.page.get_by_label("Title").fill("Choir of the town")
    hers.page.get_by_role("button", name="Save", exact=True).click()
    expect(hers.page.get_by_text("Somebody else has saved this record")).to_be_visible()
    expect(hers.page.get_by_text("Choir of the school").first).to_be_visible()
    assert Event.objects.get().title == "Choir of the school"
    hers.inspect("conflict", ".errornote, .errorlist")

    hers.page.get_by_role("button", name="Save", exact=True).click()
    expect(hers.page.get_by_text("was changed successfully")).to_be_visible()
    assert Event.objects.get().title == "Choir of the town"
    context.close()


def test_a_spreadsheet_of_200_events_with_3_bad_rows(viewer):
    """Nothing is stored before all rows are good, and each bad one says what is wrong with it."""
    day = START.date()
    rows = [
        [f"Course {n}", f"{day + dt.timedelta(n)} 18:00", f"{day + dt.timedelta(n)} 20:00", "Hall"]
        for n in range(200)
    ]
    good = [list(row) for row in rows]
    rows[20][1] = "someday"
    rows[90][2] = f"{day} 10:00"
    rows[199][0] = ""
    page = viewer.page

    page.set_default_timeout(60_000)  # for hundreds of rows, beside other tests
    viewer.open("/admin/calendar_app/event/import/")
    upload(page, rows)
    for number, problem in BAD.items():
        expect(page.get_by_text(problem).first).to_be_visible()
        expect(page.get_by_role("row", name=re.compile(f"^{number} "))).to_be_visible()
    viewer.inspect("spreadsheet", "form")
    assert not Event.objects.exists()

    upload(page, good)
    page.get_by_role("button", name="Confirm import").click()
    expect(page.get_by_text("200 new")).to_be_visible()
    assert Event.objects.count() == 200


def upload(page, rows):
    """Send rows as a spreadsheet to the form of the import."""
    file = io.StringIO()
    csv.writer(file).writerows([["title", "start_date", "end_date", "venue"], *rows])
    content = {"name": "events.csv", "mimeType": "text/csv", "buffer": file.getvalue().encode()}
    page.locator("input[type=file]").set_input_files(content)
    page.locator("select[name=format]").select_option("0")
    page.get_by_role("button", name="Submit").click()
