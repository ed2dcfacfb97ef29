"""What a backup builds on, as this service finds it in the rows of the catalog."""

import datetime as dt

import pytest

from backup_app.engines.bacula.catalog.chains import Chains
from backup_app.engines.bacula.catalog.records import JobRow

NOON = dt.datetime(2026, 1, 1, 12, tzinfo=dt.UTC)


def row(job_id, level, **values):
    """Return a backup that took a minute, begun that many hours after noon."""
    started = NOON + dt.timedelta(hours=job_id)
    fields = {
        "name": "nightly",
        "type": "B",
        "status": "T",
        "client": "web-fd",
        "fileset": "all",
        "pool": "",
        "comment": "",
        "created": started,
        "started": started,
        "ended": started + dt.timedelta(minutes=1),
        **dict.fromkeys(("files", "bytes", "read_bytes", "errors"), 0),
        "is_purged": False,
        "has_cache": False,
    }
    return JobRow(job_id=job_id, level=level, **fields | values)


def chains(*rows):
    """Return the numbers in the chain of each backup."""
    found = Chains()
    return [[link.job_id for link in found.add(each)] for each in rows]


def letters(text):
    return chains(*[row(number, level) for number, level in enumerate(text, 1)])


@pytest.mark.parametrize(
    ("levels", "last"),
    [
        ("F", [1]),
        ("FI", [1, 2]),
        ("FII", [1, 2, 3]),
        ("FID", [1, 3]),
        ("FIDI", [1, 3, 4]),
        ("FDD", [1, 3]),
        ("FDDII", [1, 3, 4, 5]),
        ("FIF", [3]),
        ("FIFI", [3, 4]),
        ("I", [1]),
        ("II", [2]),
        ("D", [1]),
    ],
)
def test_a_backup_builds_on_what_bacula_says(levels, last):
    assert letters(levels)[-1] == last


@pytest.mark.parametrize(
    "other",
    [
        {"name": "weekly"},
        {"client": "db-fd"},
        {"fileset": "some"},
        {"status": "f"},
        {"status": "R", "ended": None},
        {"type": "R"},
        {"type": "V"},
    ],
)
def test_it_builds_on_good_ones_of_its_kind_only(other):
    assert chains(row(1, "F"), row(2, "F", **other), row(3, "I"))[-1] == [1, 3]


def test_backups_with_warnings_are_good():
    assert chains(row(1, "F", status="W"), row(2, "I"))[-1] == [1, 2]


def test_what_has_failed_has_no_chain():
    assert chains(row(1, "F"), row(2, "I", status="E"))[-1] == []


def test_what_began_before_its_full_one_had_ended_builds_on_that_alone():
    full = row(1, "F", ended=NOON + dt.timedelta(hours=9))

    assert chains(full, row(2, "I"), row(10, "I")) == [[1], [1, 2], [1, 10]]


def test_a_backup_of_no_fileset_stands_alone():
    assert chains(row(1, "F", fileset=""), row(2, "I", fileset=""))[-1] == [2]
