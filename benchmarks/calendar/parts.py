"""Measures what each part that exists for speed gains: ``python -m benchmarks.calendar.parts``."""

import os

import django

from ..timing import CLOCKS, Case, by_turns, times

EVENTS, ROUNDS = 2000, 100
PAGE = "/calendar/events/v1/events"


def main():
    os.environ["DATABASE_URL"] = ""
    os.environ["DJANGO_SETTINGS_MODULE"] = "benchmarks.calendar.settings"
    django.setup()
    from django.core.wsgi import get_wsgi_application

    from .stores import Store

    Store(EVENTS)
    pairs = [compiled_queries(), representations(), revision(get_wsgi_application())]
    for without, with_it in pairs:
        taken = by_turns([without, with_it], ROUNDS, CLOCKS["cpu"])
        gain = times(taken[without.name], taken[with_it.name])
        print(f"{without.name} ÷ {with_it.name}: {gain.middle:.1f}")  # noqa: T201


def page():
    """Return the events of the first page, by ID only."""
    from calendar_app.models import Event

    return list(Event.objects.filter(status="publish").order_by("start_utc")[:10])


def compiled_queries():
    """Load ten events with all that is linked to them, by the ORM and by compiled SQL."""
    from django.contrib.auth.models import AnonymousUser

    from calendar_app.api.representations import fetch
    from calendar_app.models import Event

    from .plain import PlainEventViewSet

    ids, user = [event.pk for event in page()], AnonymousUser()
    return (
        Case("prefetch_related", lambda: list(PlainEventViewSet.queryset.filter(pk__in=ids))),
        Case("compiled queries", lambda: fetch(Event, ids, user)),
    )


def representations():
    """Turn ten loaded events into dictionaries, by nested serializers and by functions."""
    from django.contrib.auth.models import AnonymousUser

    from calendar_app.api import representations as functions
    from calendar_app.models import Event

    from .plain import EventSerializer, PlainEventViewSet

    events = page()
    ids, urls = [event.pk for event in events], functions.Urls("http://127.0.0.1")
    plain = list(PlainEventViewSet.queryset.filter(pk__in=ids))
    ours = functions.fetch(Event, ids, AnonymousUser())
    return (
        Case("nested serializers", lambda: EventSerializer(plain, many=True).data),
        Case("representations", lambda: [functions.event(event, urls) for event in ours]),
    )


def revision(application):
    """Answer a list whose revision has moved, and one whose revision has not."""
    from calendar_app.services.revision import bump

    from .client import Get

    get = Get(application, PAGE)
    return Case("after a write", get, prepare=bump), Case("unchanged revision", get, prepare=get)


if __name__ == "__main__":
    main()
