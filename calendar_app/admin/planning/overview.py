"""The calendar's part of the start page: what takes place soon, and what needs attention."""

from typing import NamedTuple
from urllib.parse import urlencode

from django.urls import reverse
from django.utils import timezone

from ... import permissions
from ...conf import conf
from ...models import Event, Feed, Status
from ...values import time_zones
from ..links import prefetch_visible
from . import attention, periods

ROWS = 8  # of a section
WAITING = {Status.DRAFT: "Drafts", Status.PENDING: "Pending review"}


class Number(NamedTuple):
    """A number of events, and the list of them."""

    value: int
    name: str
    kind: str
    address: str


def of(request):
    """Return the sections as the context of their template; none to who may not see events."""
    user = request.user
    if not any(permissions.has(user, verb, Event) for verb in ("view", "change")):
        return {}
    events = Event.objects.disclosed_to(user)
    week = periods.within(events, "week")
    clashing = attention.needing("collision", events, user)
    numbers = _numbers(events, user)
    waiting = sum(numbers[status].value for status in WAITING)
    return {
        "numbers": numbers.values(),
        "today": time_zones.to_wall(timezone.now(), conf.zone).date(),
        "soon": _rows(numbers["week"].value, periods.within(week, "upcoming"), user),
        "waiting": _waiting(waiting, events),
        "clashing": _rows(numbers["collision"].value, clashing, user),
        "all_clashing": numbers["collision"].address,
        "all_soon": numbers["week"].address,
        "failing_feeds": _failing_feeds(user),
    }


def _numbers(events, user):
    """Return the numbers of events today, this week, waiting and in need of attention, by key."""
    found = {
        when: _number(periods.within(events, when), periods.TABS[when], "", when=when)
        for when in ("today", "week")
    }
    for status, name in WAITING.items():
        found[status] = _number(events.filter(status=status), name, "look", status=status)
    for need, name in attention.NEEDS.items():
        needing = attention.needing(need, events, user)
        found[need] = _number(needing, name, "look", when="upcoming", attention=need)
    return found


def _number(found, name, kind, **query):
    address = f"{reverse('admin:calendar_app_event_changelist')}?{urlencode(query)}"
    return Number(found.count(), name, kind, address)


def _rows(number, found, user):
    """Return the first events with their venues; no query is made for none."""
    if not number:
        return []
    return found.prefetch_related(prefetch_visible("venues", user)).order_by("start_utc", "id")[
        :ROWS
    ]


def _waiting(number, events):
    """Return what waits for review, then what waits for its author, the longest first."""
    if not number:
        return []
    found = events.filter(status__in=WAITING).select_related("author")
    return found.order_by("-status", "modified_utc", "id")[:ROWS]


def _failing_feeds(user):
    """Return the feeds that fail, those that have failed most often first."""
    if not any(permissions.has(user, verb, Feed) for verb in ("view", "change")):
        return []
    failing = Feed.objects.filter(is_active=True, failures__gt=0)
    return failing.order_by("-failures", "name", "id")[:ROWS]
