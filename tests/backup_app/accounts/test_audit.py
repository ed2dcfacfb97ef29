import datetime as dt

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from time_machine import travel

from backup_app.accounts import audit, throttling
from backup_app.jobs import periodic
from backup_app.lib import bulk
from backup_app.models import AuditEntry, LoginAttempt

pytestmark = pytest.mark.django_db

DAY = dt.timedelta(days=1)
EXPLAIN = {"postgresql": "EXPLAIN", "sqlite": "EXPLAIN QUERY PLAN"}


def wrong_logins():
    return dict(AuditEntry.objects.values_list("login", "count"))


def test_wrong_logins_are_counted_in_one_row_for_each_login_address_and_hour():
    with travel("2030-01-01T12:10:00Z", tick=False) as now:
        for login, address in [("x", "192.0.2.1")] * 3 + [("y", "192.0.2.1"), ("x", "2001:db8::1")]:
            audit.note_wrong_login(login, address, "/a")
        now.shift(50 * 60)
        audit.note_wrong_login("x", "192.0.2.1", "/b")

    fields = "login", "address", "count", "target", "outcome", "operation"
    assert list(AuditEntry.objects.order_by("pk").values_list(*fields)) == [
        ("x", "192.0.2.1", 3, "/a", "wrong login", "login"),
        ("y", "192.0.2.1", 1, "/a", "wrong login", "login"),
        ("x", "2001:db8::/64", 1, "/a", "wrong login", "login"),
        ("x", "192.0.2.1", 1, "/b", "wrong login", "login"),
    ]


def test_wrong_logins_do_not_fill_the_table(monkeypatch):
    monkeypatch.setattr(audit, "MAX_LOGINS", 3)

    for login in ("a", "b", "c", "d", "e", "a", "d"):
        audit.note_wrong_login(login, "192.0.2.1", "/")
    audit.note_wrong_login("d", "192.0.2.2", "/")

    assert wrong_logins() == {"a": 2, "b": 1, "c": 1, audit.OTHERS: 3, "d": 1}


@pytest.mark.parametrize("login", ["", "a\0b", "é" * 1000, "(others)"])
def test_any_text_can_be_a_wrong_login(login):
    audit.note_wrong_login(login, "no address" * 10, "/\0" * 500)

    assert list(wrong_logins().values()) == [1]


def test_only_old_wrong_logins_are_forgotten(monkeypatch):
    monkeypatch.setattr(bulk, "DELETED_AT_ONCE", 2)
    for days in (29, 31, 32, 33):
        with travel(timezone.now() - days * DAY):
            audit.note_wrong_login(f"{days}", "192.0.2.1", "/")
    with travel(timezone.now() - 400 * DAY):
        audit.note(
            account=None,
            login="staff",
            address="",
            operation="restore",
            target="/",
            outcome=audit.Outcome.DONE,
        )

    assert audit.forget_wrong_logins() == 3
    assert set(wrong_logins()) == {"29", "staff"}


def test_old_rows_are_looked_for_once_an_hour_and_by_an_index(django_assert_num_queries):
    with CaptureQueriesContext(connection) as first:
        periodic.forget_logins()
    with django_assert_num_queries(0):
        periodic.forget_logins()

    look = first.captured_queries[0]["sql"]
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                "SET LOCAL enable_seqscan = off"
            )  # there are no rows to make it worth it
        cursor.execute(f"{EXPLAIN[connection.vendor]} {look}")
        plan = " ".join(str(row) for row in cursor.fetchall())
    assert "audit_wrong_login_in_hour" in plan


def test_failures_that_no_longer_count_are_forgotten():
    ages = {"now": 0 * DAY, "today": DAY / 2, "known": 29 * DAY, "long ago": 31 * DAY}
    for login, age in ages.items():
        LoginAttempt.objects.create(
            scope="x", login=login, time=timezone.now() - age, failed=login in {"now", "today"}
        )

    assert throttling.forget_attempts() == 2
    assert set(LoginAttempt.objects.values_list("login", flat=True)) == {"now", "known"}
