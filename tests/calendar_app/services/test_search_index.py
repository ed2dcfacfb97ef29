"""A search finds the same events with the index of SQLite as without it."""

from unittest import mock

import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from calendar_app.api.filters.event import EventFilterSet
from calendar_app.api.filters.search import EventSearchParameter, SearchParameter
from calendar_app.models import Event
from calendar_app.services import search_index
from tests.prerequisites import only_on

from ..support.factories import EventFactory

pytestmark = [pytest.mark.django_db, only_on("sqlite")]

LETTERS = "aAbBzé É&<\"'%_\\*ßİıſǅ-()\n𝄞0"
texts = st.text(LETTERS, max_size=8)
words = st.lists(
    st.text(LETTERS.translate({ord(" "): None, ord("\n"): None}), min_size=1, max_size=5),
    min_size=1,
    max_size=3,
)


def searched(words):
    """Return what the index finds, and what reading every event finds."""
    parameter = EventFilterSet.base_filters["search"]
    plain = SearchParameter(plain=parameter.plain, rich=parameter.rich, help_text="")
    events = Event.objects.order_by("pk").values_list("pk", flat=True)
    return list(parameter.filter(events, words)), list(plain.filter(events, words))


class TestSame(TestCase):
    @given(st.lists(st.tuples(texts, texts, texts), min_size=1, max_size=6), words)
    @settings(max_examples=200, suppress_health_check=list(HealthCheck))
    def test_as_without_the_index(self, contents, words):
        rows = [EventFactory(title="x") for _ in contents]
        for event, (title, description, excerpt) in zip(rows, contents, strict=True):
            found = Event.objects.filter(pk=event.pk)
            found.update(title=title, description=description, excerpt=excerpt)
        rows[0].delete()

        with_index, without = searched(words)

        assert with_index == without


@pytest.mark.parametrize("word", ["j", "ja", "é", "zé", "&", "r&b", "&a", '"', 'a"b', "%", "\\"])
def test_short_and_odd_words_start_from_the_index(word):
    EventFactory(title='Jazzé a"b', description="<p>R&amp;B</p>")
    EventFactory(title="Other")

    with_index, without = searched([word])

    assert with_index == without
    assert search_index.candidates("default", [[word]], 9) is not None


def test_what_the_index_does_not_find_is_not_read():
    EventFactory()

    assert search_index.candidates("default", [["zq"]], 9) == []
    assert search_index.candidates("default", [["zzzqqq"]], 9) == []


def test_where_many_match_the_index_does_not_help():
    EventFactory.create_batch(3, title="Jazz")

    assert search_index.candidates("default", [["jazz"]], 2) is None


def test_a_search_needs_no_index():
    event = EventFactory(title="Jazz")
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE calendar_event_search")

    assert searched(["jazz"]) == ([event.pk], [event.pk])


def test_lost_triggers_are_made_again_with_the_index():
    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER calendar_event_search_insert")
    event = EventFactory(title="Jazz")
    assert search_index.candidates("default", [["jazz"]], 9) == []

    search_index.make_index("default")

    assert search_index.candidates("default", [["jazz"]], 9) == [event.pk]


def test_where_sqlite_lacks_trigrams_a_warning_says_so(caplog):
    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER calendar_event_search_insert")
    with mock.patch.object(search_index, "MAKE", ["CREATE VIRTUAL TABLE x USING fts9(a)"]):
        search_index.make_index("default")

    assert "no such module: fts9" in caplog.text


def test_only_events_have_an_index():
    assert isinstance(EventFilterSet.base_filters["search"], EventSearchParameter)
