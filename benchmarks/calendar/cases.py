"""What is measured: requests to the floor and to the calendar that ask for the same."""

import datetime as dt
from collections.abc import Callable
from itertools import count
from typing import NamedTuple

from .client import etag, request
from .stores import USER

P = "/calendar/events/v1"
LIST = f"{P}/events"
TODAY = dt.datetime.now(dt.UTC).date()
NEXT = {"start_date": f"{TODAY} 00:00:00", "end_date": f"{TODAY + dt.timedelta(days=730)} 00:00:00"}
EVERY = {"start_date": "1990-01-01 00:00:00", "end_date": "2090-01-01 00:00:00"}
STRICT = {"strict_dates": "true"}
FILTERS = {
    "no parameter": {},
    "start_date, end_date": EVERY,
    "starts_before": {"starts_before": "tomorrow"},
    "starts_after": {"starts_after": "tomorrow"},
    "ends_before": {"ends_before": "tomorrow"},
    "ends_after, starts_before": {"ends_after": "yesterday", "starts_before": "tomorrow"},
    "modified_after": {"modified_after": "tomorrow"},
    "search, a word": {**EVERY, "search": "opera"},
    "search, two words": {**EVERY, "search": "riverside opera"},
    "search, two letters": {**EVERY, "search": "op"},
    "search, a word of no event": {**EVERY, "search": "zzzqqq"},
    "categories": {**EVERY, "categories": "generated-category-1"},
    "two categories": {**EVERY, "categories": "generated-category-1,generated-category-2"},
    "tags": {**EVERY, "tags": "generated-tag-1"},
    "tags, one of no event": {**EVERY, "tags": "unused"},
    "venue": {**EVERY, "venue": 1},
    "organizer": {**EVERY, "organizer": 1},
    "featured": {**EVERY, "featured": "true"},
    "ticketed": {**EVERY, "ticketed": "true"},
    "geoloc": {**EVERY, "geoloc": "true"},
    "geoloc_lat, geoloc_lng": {**EVERY, "geoloc_lat": 48, "geoloc_lng": 2, "geoloc_radius": 500},
    "include": {"include": "1,2,3"},
    "post_parent": {**EVERY, "post_parent": 1},
}
MANY = 20  # events in one request
BULK = f"POST events/bulk of {MANY}"
# The other cases that many events may slow down.
GROWING = {"deep page, nothing kept", "POST with names", "PATCH title"}


class Case(NamedTuple):
    """Requests to ours and to the floor; ``aim`` is ours ÷ floor on SQLite and on PostgreSQL.

    ``ours`` and ``floor`` make request n. ``bare`` asks the service that keeps nothing.
    """

    name: str
    ours: Callable[[int], bytes]
    floor: Callable[[int], bytes]
    aim: tuple[float, float] | None = None
    bare: bool = False
    status: int = 200
    connections: int = 4
    is_equal: bool = True  # whether both answer with the same bytes


def same(name, path, query=None, **more) -> Case:
    """Return a case that asks both for the same bytes."""
    return beside(name, request(path, query), request(path, query), is_equal=True, **more)


def beside(name, ours: bytes, floor: bytes, *, is_equal=False, **more) -> Case:
    return Case(name, lambda n: ours, lambda n: floor, is_equal=is_equal, **more)


def bare(name, path, query=None, **more) -> Case:
    return same(f"{name}, nothing kept", path, query, bare=True, **more)


def reads(store, port: int) -> list[Case]:
    """Return the cases that read, with the service at a port to take an ETag from."""
    window = NEXT | STRICT
    page = request(LIST, window)
    unchanged = request(LIST, window, etag=etag(port, page))
    ten = ",".join(str(pk) for pk in range(1, 11))
    calendar = request(LIST, EVERY | {"format": "ics", "include": ten})
    deep = EVERY | STRICT | {"page": max(2, min(5000, store.number // 20))}
    numbers = count()  # goes on from round to round: no question is asked twice
    return [
        bare("list", LIST, window, aim=(0.45, 0.45)),
        Case("list, a new question", lambda n: _unasked(next(numbers)), _unasked),
        same("list, warm", LIST, window, aim=(1.5, 1.5)),
        beside("list, 304", unchanged, page, aim=(3, 3), status=304),
        bare("deep page", LIST, deep),
        bare("event", f"{LIST}/1", aim=(0.35, 0.35)),
        same("event, warm", f"{LIST}/1"),
        bare("venues", f"{P}/venues", aim=(0.25, 0.25)),
        bare("organizers", f"{P}/organizers"),
        bare("categories", f"{P}/categories"),
        bare("tags", f"{P}/tags"),
        beside("iCalendar of 10 ÷ list", calendar, page, bare=True),
        beside("page of a month, warm ÷ list", request("/events/month/"), page),
        beside("page of a month ÷ list", request("/events/month/"), page, bare=True),
    ]


def writes(store) -> list[Case]:
    """Return the cases that write, each time to another event."""
    login = USER, store.password
    numbers = count()

    def create(_):
        return request(LIST, method="POST", body=new_event(f"Night {next(numbers)}"), login=login)

    def create_many(_):
        events = [new_event(f"Night {next(numbers)}") for _ in range(MANY)]
        body = {"events": events}
        return request(f"{LIST}/bulk", method="POST", body=body, login=login)

    def change(_):
        n = next(numbers)
        path, body = f"{LIST}/{n % store.number + 1}", {"title": f"Another title {n}"}
        return request(path, method="PATCH", body=body, login=login)

    aims = (0.15, 0.3), (0.1, 0.4)
    found = [
        Case("POST with names", create, create, aims[0], status=201, is_equal=False),
        Case("PATCH title", change, change, aims[1], is_equal=False),
        Case(BULK, create_many, create_many, connections=1, is_equal=False),
    ]
    if store.url.startswith("postgres"):
        found.append(Case("PATCH, 8 writers", change, change, connections=8, is_equal=False))
    return found


def new_event(title: str) -> dict:
    """Return what a client sends that names all that is linked."""
    return {
        "title": title,
        "description": "<p>Music.</p>",
        "start_date": "2030-03-05 20:00:00",
        "end_date": "2030-03-05 22:00:00",
        "timezone": "UTC",
        "categories": ["Generated category 1 Old", "Generated category 2 Town"],
        "tags": ["Generated tag 1 Old", "Generated tag 2 Town"],
        "venue": {"venue": "Generated venue 1 Old"},
        "organizer": {"organizer": "Generated organizer 1 Old"},
    }


def filters() -> list[Case]:
    """Return a case for each of FILTERS, set beside the floor's page of ten events."""
    page = request(LIST, NEXT | STRICT)
    return [beside(name, request(LIST, query), page, bare=True) for name, query in FILTERS.items()]


def _unasked(number: int) -> bytes:
    end = dt.datetime.fromisoformat(NEXT["end_date"]) + dt.timedelta(seconds=number)
    return request(LIST, NEXT | STRICT | {"end_date": f"{end}"})
