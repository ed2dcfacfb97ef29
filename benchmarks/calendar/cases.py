"""What is measured: a page of ten events from the floor, from the plain API and from the calendar.

Unless its name says more, a case begins with an empty cache.
"""

import datetime as dt

import orjson
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ..timing import Case
from .client import Get
from .raw import Raw, connected

LIST = "/calendar/events/v1/events"
PLAIN = "/plain/events"
ALL = {"start_date": "1990-01-01 00:00:00", "end_date": "2090-01-01 00:00:00"}
FILTERS = {
    "no parameter": {},
    "start_date, end_date": ALL,
    "starts_before": {"starts_before": "tomorrow"},
    "starts_after": {"starts_after": "tomorrow"},
    "ends_before": {"ends_before": "tomorrow"},
    "ends_after, starts_before": {"ends_after": "yesterday", "starts_before": "tomorrow"},
    "modified_after": {"modified_after": "tomorrow"},
    "search, a word": {**ALL, "search": "opera"},
    "search, two words": {**ALL, "search": "riverside opera"},
    "search, a word of no event": {**ALL, "search": "zzzqqq"},
    "categories": {**ALL, "categories": "generated-category-1"},
    "tags": {**ALL, "tags": "generated-tag-1"},
    "tags, one of no event": {**ALL, "tags": "unused"},
    "venue": {**ALL, "venue": 1},
    "organizer": {**ALL, "organizer": 1},
    "featured": {**ALL, "featured": "true"},
    "ticketed": {**ALL, "ticketed": "true"},
    "geoloc": {**ALL, "geoloc": "true"},
    "geoloc_lat, geoloc_lng": {**ALL, "geoloc_lat": 48, "geoloc_lng": 2, "geoloc_radius": 500},
    "include": {"include": "1,2,3"},
    "post_parent": {**ALL, "post_parent": 1},
}


class Compared:
    """The cases that set the calendar beside the floor and the plain API.

    ``lists`` are of the first page in a window of two years; ``deep`` are of page 5,000 of all, or
    of one in the middle when there are fewer.
    """

    def __init__(self, application, store):
        self.application = application
        self.run_sql = connected(store.connection.settings_dict)
        today = dt.datetime.now(dt.UTC).date()
        ends = {"start_date": today, "end_date": today + dt.timedelta(days=730)}
        first = {name: f"{day} 00:00:00" for name, day in ends.items()} | {"strict_dates": "true"}
        deep = {**ALL, "strict_dates": "true", "page": min(5000, store.number // 20)}
        self.lists, self.deep = self._lists(first), self._deep(deep)

    def _lists(self, window):
        ours = self._get(LIST, window)
        second_page = self._get(LIST, {**window, "page": 2})
        answer = ours()
        total = orjson.loads(answer.body)["total"]
        unchanged = self._get(LIST, window, if_none_match=answer.headers["ETag"])
        return [
            Case("floor", self._floor(window, total)),
            Case("floor that counts", self._floor(window)),
            Case("plain", self._get(PLAIN, window)),
            Case("cold: after a write", ours, cache.clear),
            Case("cold: total known", ours, lambda: (cache.clear(), second_page())),
            Case("warm", ours, ours),
            Case("304", unchanged, unchanged),
        ]

    def _deep(self, window):
        return [
            Case("floor", self._floor(window)),
            Case("plain", self._get(PLAIN, window)),
            Case("deep page", self._get(LIST, window), cache.clear),
        ]

    def _floor(self, params, total=None):
        return Get(Raw(self.run_sql, total), LIST, params)

    def _get(self, path, params, **headers):
        return Get(self.application, path, params, **headers)


def filters(application):
    """Return a case for each of FILTERS."""
    return [
        Case(name, Get(application, LIST, params), cache.clear) for name, params in FILTERS.items()
    ]


def queries(case):
    """Return how many queries a case makes."""
    case.prepare()
    with CaptureQueriesContext(connection) as captured:
        case.run()
    return len(captured)
