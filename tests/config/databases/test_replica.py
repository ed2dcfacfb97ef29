"""What is wrong with a replica, by its state and that of the primary."""

import time

from config.databases import replica as module
from config.databases.replica import Replica, State


def test_a_replica_with_the_revision_of_the_primary_has_no_fault():
    replica = Replica("replica1")

    assert replica.find_fault(State(False, 1, 7), State(True, 1, 7)) == ""


def test_a_replica_may_be_behind_for_some_seconds(monkeypatch):
    replica, behind = Replica("replica1"), "is too far behind the primary"
    monkeypatch.setattr(module, "LAG", 0.1)

    # Nobody knows since when, so at first it may not be behind at all.
    assert replica.find_fault(State(False, 1, 7), State(True, 1, 6)) == behind
    assert replica.find_fault(State(False, 1, 9), State(True, 1, 7)) == ""

    time.sleep(0.15)
    assert replica.find_fault(State(False, 1, 12), State(True, 1, 8)) == behind
    assert replica.find_fault(State(False, 1, 12), State(True, 1, 9)) == ""


def test_a_server_that_is_no_replica_of_the_primary_is_found_out():
    replica = Replica("replica1")

    assert replica.find_fault(State(False, 1, 7), State(False, 1, 7)) == (
        "accepts writes, and so is no replica"
    )
    assert replica.find_fault(State(False, 1, 7), State(True, 2, 7)) == (
        "is a replica of another database server"
    )


def test_a_replica_that_follows_another_primary_is_found_out():
    replica = Replica("replica1")
    replica.stamp = 8  # as it was a second ago

    assert replica.find_fault(State(False, 1, 7), State(True, 1, 8)) == (
        "has writes that the primary does not have"
    )
