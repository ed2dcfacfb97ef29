from contextlib import contextmanager

import pytest
from django.contrib.auth.models import User

from calendar_app.models import Event
from config.databases.router import Router, replica_of_request

router = Router()


@pytest.fixture(autouse=True)
def one_replica(settings):
    settings.DATABASE_REPLICAS = ["replica1"]


@contextmanager
def reading_a_replica():
    token = replica_of_request.set("replica1")
    try:
        yield
    finally:
        replica_of_request.reset(token)


def test_a_request_reads_the_calendar_from_its_replica_and_accounts_from_the_primary():
    with reading_a_replica():
        assert router.db_for_read(Event) == "replica1"
        assert router.db_for_read(User) is None
        assert router.db_for_write(Event) is None

    assert router.db_for_read(Event) == "default"


def test_what_belongs_to_a_record_of_a_replica_is_neither_read_nor_written_there():
    event = Event.from_db("replica1", ["id"], [1])

    with reading_a_replica():
        assert router.db_for_read(User, instance=event) == "default"
        assert router.db_for_write(Event, instance=event) == "default"


def test_replicas_are_not_migrated():
    assert router.allow_migrate("replica1", "calendar_app") is False
    assert router.allow_migrate("default", "calendar_app") is None
