import datetime as dt

import pytest

from calendar_app.importing.known_events import BATCH, KnownEvents

from ..support.factories import EventFactory

pytestmark = pytest.mark.django_db
DAY = dt.timedelta(days=1)


def store(*source_ids):
    """Store events with these source IDs, each a day before the last one."""
    now = dt.datetime(2027, 3, 1, 10)
    for number, source_id in enumerate(source_ids):
        EventFactory(start_date=now - number * DAY, source_id=source_id)


def test_a_uid_has_its_event_and_its_occurrences_by_date():
    own = ["a", "a/20270301", "a/20270301T100000", "a/20270301T100000Z"]
    store(*own, "b", "a/b", "a/2027", "aa", "ab/20270301", "A", None)

    known = KnownEvents(["a", "nothing"])

    assert list(known.of("a")) == own[::-1]
    assert known.of("nothing") == {}


def test_an_event_whose_uid_looks_like_an_occurrence_may_be_either():
    store("a/20270301")

    known = KnownEvents(["a", "a/20270301"])

    assert list(known.of("a")) == list(known.of("a/20270301")) == ["a/20270301"]


def test_many_are_looked_up_at_once(django_assert_num_queries):
    uids = [f"uid-{number}" for number in range(2 * BATCH)]
    store(uids[0], uids[-1], f"{uids[BATCH]}/20270301")

    with django_assert_num_queries(2):
        known = KnownEvents(uids)
        found = [list(known.of(uid)) for uid in uids[::2] + uids[-1:]]

    assert [each for each in found if each] == [["uid-0"], ["uid-50/20270301"], ["uid-99"]]
