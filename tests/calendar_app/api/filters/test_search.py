"""Searches of short words."""

import pytest

from calendar_app.api import totals
from calendar_app.api.filters import search
from calendar_app.api.filters.event import EventFilterSet
from calendar_app.lib.time_limit import TooSlow

from ...support.api_client import get
from ...support.factories import EventFactory
from ...support.filtering import listed, refused

pytestmark = pytest.mark.django_db


def test_one_character_is_enough_by_default():
    EventFactory(title="Jazz")
    EventFactory(title="Opera")

    assert listed(EventFilterSet, "search=z") == ["Jazz"]


def test_a_site_can_refuse_shorter_words(settings):
    settings.CALENDAR_MIN_SEARCH_LENGTH = 3

    assert refused(EventFilterSet, "search=jazz+ja") == {
        "search": "search accepts words of at least 3 characters, not 'ja'."
    }
    assert refused(EventFilterSet, "search=jaz") == {}


@pytest.mark.parametrize("path", ["/events", "/venues", "/organizers", "/tags"])
def test_a_search_of_short_words_that_would_read_everything_is_refused(path, monkeypatch):
    def refuse(connection, seconds):
        raise TooSlow

    monkeypatch.setattr(search, "time_limit", refuse)
    monkeypatch.setattr(totals, "quick", lambda *args: totals.Total(1, is_exact=False))

    short = get(path, {"search": "ab c"})

    assert short.status_code == 400
    assert short.json()["data"]["params"] == {
        "search": "search needs a word of at least 3 characters among so many records."
    }
    assert get(path, {"search": "ab abc"}).status_code == 200
    assert get(path).status_code == 200
