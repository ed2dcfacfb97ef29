"""What the Director's own schedules start next, on the page of an adopted client."""

import datetime as dt

import pytest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape
from playwright.sync_api import expect

from backup_app.engines import get_engine
from backup_app.engines.adoption import PlannedRuns

from ....support.factories import ClientFactory
from ..conftest import ENGINE
from ..support.forged_jobs import forged_job
from ..support.installation import guide_console

pytestmark = pytest.mark.django_db
SCHEDULE = """
Schedule {
  Name = nightly
  Run = Level=Full 1st sun at 23:05
  Run = Level=Incremental mon-sat at 23:05
}
Job {
  Name = "nightly one"
  Type = Backup
  JobDefs = operator
  Schedule = nightly
}
Job {
  Name = "of two"
  Type = Backup
  JobDefs = operator
  Client = two-fd
  Schedule = nightly
}
"""


def opened(client, machine, part="planned"):
    page = client.get(reverse(f"admin:backup_app_client_{part}", args=[machine.pk]))
    return page.content.decode()


def test_the_next_runs_are_those_of_the_client_by_time(client, staff, operator, bacula_client):
    operator(SCHEDULE)
    machine = bacula_client()

    runs = get_engine().planned_runs(machine).runs

    assert {(run.job, run.schedule) for run in runs} == {("nightly one", "nightly")}
    times = [run.time for run in runs]
    assert times == sorted(times)
    assert timezone.now() < times[0] < timezone.now() + dt.timedelta(days=8)
    zone = get_engine().zone
    assert all(
        (local.hour, local.minute, run.level)
        == (23, 5, "Full" if local.weekday() == 6 else "Incremental")
        for run in runs
        for local in [run.time.astimezone(zone)]
    )
    assert {run.level for run in runs} == {"Full", "Incremental"}
    text = opened(client, machine)
    assert text.count("job nightly one, schedule nightly") == 1
    assert text.count(" 23:05, ") == 3
    assert "of two" not in text


def test_a_client_without_schedule_and_one_that_the_director_does_not_know(
    client, staff, bacula, bacula_client, settings
):
    machine = bacula_client()
    assert "Nothing in the next month" in opened(client, machine)

    machine.engine_name = "gone-fd"
    machine.save()
    assert "Unknown: The Director has no client &#x27;gone-fd&#x27;." in opened(client, machine)

    settings.BACKUP_ENGINES["default"]["OPTIONS"] = bacula.options(port=9)
    assert "cannot be reached" in opened(client, machine)


@pytest.fixture
def narrow(bacula, operator, settings):
    """A function that has the engine use a console that may not see all jobs or schedules."""

    def use(acl, names):
        text = guide_console(bacula.passwords["dir"]).replace("= calendar", "= narrow")
        assert f"{acl} = *all*" in text
        operator(SCHEDULE, text.replace(f"{acl} = *all*", f"{acl} = {names}"))
        options = bacula.options(console="narrow")
        settings.BACKUP_ENGINES = {"default": {"BACKEND": ENGINE, "OPTIONS": options}}

    return use


def test_a_console_sees_what_schedules_start_that_it_may_not_see(narrow, bacula_client):
    machine = bacula_client()
    narrow("ScheduleACL", "other")

    planned = get_engine().planned_runs(machine)

    assert {run.job for run in planned.runs} == {"nightly one"}
    assert planned.hidden == ""


def test_jobs_that_a_console_may_not_see_are_named(client, staff, narrow, bacula_client):
    machine = bacula_client()
    for name in ("nightly one", "operator-backup", "gone"):
        forged_job(client="one-fd", name=name)
    narrow("JobACL", "operator-backup")

    planned = get_engine().planned_runs(machine)

    sentence = "The JobACL of the console 'narrow' hides when these jobs start: 'nightly one'."
    assert planned == PlannedRuns([], sentence)
    text = opened(client, machine)
    assert "Nothing in the next month" not in text
    assert escape(sentence) in text


def test_the_page_of_a_client_does_not_wait_for_it(client, staff, bacula, bacula_client, settings):
    machine = bacula_client()
    address = reverse("admin:backup_app_client_planned", args=[machine.pk])
    settings.BACKUP_ENGINES["default"]["OPTIONS"] = bacula.options(port=9)

    page = opened(client, machine, "change")

    assert f'data-live="{address}"' in page
    assert "cannot be reached" not in page
    assert "own schedule" not in opened(client, ClientFactory(), "change")


@pytest.mark.django_db(transaction=True)
def test_it_is_seen_on_the_page(viewer, operator, bacula_client):
    operator(SCHEDULE)
    viewer.open(f"/admin/backup_app/client/{bacula_client().pk}/change/")

    expect(viewer.page.get_by_text("job nightly one, schedule nightly")).to_be_visible()
    viewer.inspect("bacula-planned", ".backups")
