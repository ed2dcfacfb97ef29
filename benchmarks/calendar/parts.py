"""Measures what each part that exists for speed gains, and what the history of a write costs.

``python -m benchmarks.calendar.parts``
"""

import os
from itertools import count
from pathlib import Path
from time import thread_time

import django

from ..timing import Case, by_turns, times
from .stores import Store

NUMBER, ROUNDS = 2000, 100
PAGE = "/calendar/events/v1/events"


def main():
    store = Store(Path("var/benchmarks/stores"), NUMBER)
    store.fill()
    os.environ |= store.variables | {"LOG_LEVEL": "ERROR"}
    django.setup()
    pairs = [compiled_queries(), representations(), revision(), history()]
    for without, with_it in pairs:
        taken = by_turns([without, with_it], ROUNDS, thread_time)
        gain = times(taken[without.name], taken[with_it.name])
        print(f"{without.name} ÷ {with_it.name}: {gain.middle:.2f}")  # noqa: T201


def page():
    """Return the events of the first page, by ID only."""
    from calendar_app.models import Event

    return list(Event.objects.filter(status="publish").order_by("start_utc")[:10])


def compiled_queries():
    """Load ten events with all that is linked to them, by the ORM and by compiled SQL."""
    from django.contrib.auth.models import AnonymousUser

    from calendar_app.api.representations import fetch
    from calendar_app.models import Event

    from .plain import EVENTS

    ids, user = [event.pk for event in page()], AnonymousUser()
    return (
        Case("prefetch_related", lambda: list(EVENTS.filter(pk__in=ids))),
        Case("compiled queries", lambda: fetch(Event, ids, user)),
    )


def representations():
    """Turn ten loaded events into dictionaries, by nested serializers and by functions."""
    from django.contrib.auth.models import AnonymousUser

    from calendar_app.api import representations as functions
    from calendar_app.models import Event

    from .plain import EVENTS, EventSerializer

    events = page()
    ids, urls = [event.pk for event in events], functions.Urls("http://127.0.0.1")
    plain = list(EVENTS.filter(pk__in=ids))
    ours = functions.fetch(Event, ids, AnonymousUser())
    return (
        Case("nested serializers", lambda: EventSerializer(plain, many=True).data),
        Case("representations", lambda: [functions.event(event, urls) for event in ours]),
    )


def revision():
    """Answer a list whose revision has moved, and one whose revision has not."""
    from django.test import Client

    from calendar_app.services.revision import increment

    client = Client(headers={"host": "127.0.0.1"})

    def get():
        return client.get(PAGE).content

    return Case("after a write", get, increment), Case("unchanged revision", get, get)


def history():
    """Change an event with its history being kept, and without."""
    from unittest.mock import patch

    from django.contrib.auth import get_user_model
    from rest_framework.test import APIClient

    from calendar_app.services.history import changes

    client = APIClient(headers={"host": "127.0.0.1"})
    client.force_authenticate(get_user_model().objects.filter(is_superuser=True).first())
    address, titles = f"{PAGE}/{page()[0].pk}", count()

    def change():
        answer = client.patch(address, {"title": f"Title {next(titles)}"}, format="json")
        assert answer.status_code == 200, answer.content  # noqa: S101

    def change_without():
        with patch.object(changes, "note_change", lambda change: None):
            change()

    return Case("PATCH with history", change), Case("PATCH without", change_without)


if __name__ == "__main__":
    main()
