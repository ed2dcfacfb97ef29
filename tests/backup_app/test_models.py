"""Records that no page of the admin lists name themselves, for logs and a shell."""

import datetime as dt

import pytest

from backup_app.models import Download, JobLog, LoginAttempt, Worker

NOON = dt.datetime(2030, 1, 15, 12, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("record", "text"),
    [
        (Download(job_id=3, state="ready"), "3 ready"),
        (JobLog(message="The backup started."), "The backup started."),
        (
            LoginAttempt(scope="api", network="192.0.2.1", time=NOON),
            "api from 192.0.2.1 at 2030-01-15 12:00:00+00:00",
        ),
        (Worker(name="one", process="there:1:1"), "one on there:1:1"),
    ],
)
def test_a_record_names_itself(record, text):
    assert str(record) == text
