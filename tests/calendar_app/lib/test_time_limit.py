import pytest
from django.db import OperationalError, connection

from calendar_app.lib.time_limit import TooSlow, time_limit

SLOW = {
    "sqlite": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000000000) "
    "SELECT count(*) FROM n",
    "postgresql": "SELECT pg_sleep(60)",
}


def run(sql):
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchone()[0]


@pytest.mark.django_db(transaction=True)
def test_a_slow_query_is_canceled_and_the_connection_goes_on():
    with pytest.raises(TooSlow), time_limit(connection, 0.02):
        run(SLOW[connection.vendor])

    assert run("SELECT 1") == 1


@pytest.mark.django_db(transaction=True)
def test_a_fast_query_is_answered_and_the_next_one_has_no_limit():
    with time_limit(connection, 5):
        assert run("SELECT 1") == 1

    if connection.vendor == "postgresql":
        assert run("SHOW statement_timeout") == "0"


@pytest.mark.django_db(transaction=True)
def test_other_errors_stay_what_they_are():
    with pytest.raises(OperationalError), time_limit(connection, 5):
        raise OperationalError("disk I/O error")


@pytest.mark.django_db
def test_a_transaction_goes_on_after_the_limit():
    with time_limit(connection, 5):
        run("SELECT 1")

    assert run("SELECT 2") == 2
