"""Bacula's schedules start backups when cron expressions say so."""

import datetime as dt

import pytest
from cronsim import CronSim

from backup_app.engines.bacula.config.resources import resource
from backup_app.engines.bacula.config.schedule_resource import run_lines

from ..support.parsing import parse

START = dt.datetime(2027, 1, 1, tzinfo=dt.UTC)
YEAR = dt.timedelta(days=365)


def comes(run, time):
    """Say whether a line of a schedule, as Bacula has read it, starts something at a time."""
    return (
        time.hour in run["Hour"]
        and time.minute == run["Minute"]
        and time.day - 1 in run["Day"]
        and time.month - 1 in run["Month"]
        and time.isoweekday() % 7 in run["DayOfWeek"]
    )


@pytest.mark.parametrize(
    "expression",
    [
        "30 2 * * *",
        "0 0 1 * *",
        "5 23 * * 1-5",
        "15,45 6,18 * * 7",
        "0 4 * 1,7 sun",
        "0 12 1,15,31 jan-mar *",
        "*/15 8 * * *",
        "0 */6 */2 * mon",
        "59 23 29 2 *",
        "0 3 * * 0",
    ],
)
def test_a_schedule_comes_when_the_expression_does(expression, tmp_path):
    lines = run_lines(expression)
    text = resource("Schedule", {"Name": "bk-schedule-7"}, *lines)

    (schedule,) = parse(text, tmp_path).values()

    expected = set()
    for time in CronSim(expression, START - dt.timedelta(minutes=1)):
        if time >= START + YEAR:
            break
        expected.add(time)
    days = [START + dt.timedelta(days=number) for number in range(YEAR.days)]
    times = {
        day.replace(hour=hour, minute=run["Minute"])
        for day in days
        for run in schedule["Run"]
        for hour in run["Hour"]
    }
    assert {time for time in times if any(comes(run, time) for run in schedule["Run"])} == expected
    assert all(run["Level"] == "Incremental" for run in schedule["Run"])


@pytest.mark.parametrize(
    "expression",
    [
        "0 0 13 * 5",
        "0 0 1-31 * 5",
        "0 0 L * *",
        "0 0 LW * *",
        "0 0 * * 5#2",
        "0 0 * * 5L",
        "* * * * *",
        "nonsense",
    ],
)
def test_what_bacula_cannot_say_has_no_lines(expression):
    assert run_lines(expression) == []
