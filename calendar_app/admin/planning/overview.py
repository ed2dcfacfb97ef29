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
    when = {name: periods.within(events, name) for name in ("today", "week")}
    waiting = {status: events.filter(status=status) for status in WAITING}
    needs = {need: attention.needing(need, events, user) for need in attention.NEEDS}
    numbers = [
        *(_number(found, periods.TABS[name], "", when=name) for name, found in when.items()),
        *(_number(found, WAITING[each], "look", status=each) for each, found in waiting.items()),
        *(
            _number(found, attention.NEEDS[need], "look", when="upcoming", attention=need)
            for need, found in needs.items()
        ),
    ]
    values = dict(zip([*when, *waiting, *needs], (each.value for each in numbers), strict=True))
    return {
        "numbers": numbers,
        "today": time_zones.to_wall(timezone.now(), conf.zone).date(),
        "soon": _rows(values["week"], periods.within(when["week"], "upcoming"), user),
        "waiting": _waiting(values["draft"] + values["pending"], events),
        "clashing": _rows(values["collision"], needs["collision"], user),
        "all_clashing": numbers[-1].address,
        "all_soon": _list(when="week"),
        "failing_feeds": _failing_feeds(user),
    }


def _number(found, name, kind, **query):
    return Number(found.count(), name, kind, _list(**query))


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


def _list(**query):
    return f"{reverse('admin:calendar_app_event_changelist')}?{urlencode(query)}"
