import datetime as dt

import pytest
from django.db.models import F

from calendar_app.lib.compiled_queries import CompiledQuery
from calendar_app.models import Event, Venue

from ..support.factories import EventFactory, VenueFactory

pytestmark = pytest.mark.django_db


def test_records_are_those_of_the_queryset_for_other_parameters():
    events = [EventFactory(custom_fields={"a": [1, None]}) for _ in range(3)]
    query = CompiledQuery(Event.objects.filter(pk__in=[0, -1]).order_by("-id"))

    found = query([events[0].pk, events[2].pk])

    assert found == [events[2], events[0]]
    assert found[0].custom_fields == {"a": [1, None]}
    assert found[0].start_utc.tzinfo == dt.UTC
    for field in Event._meta.concrete_fields:
        events[2].refresh_from_db()
        assert getattr(found[0], field.attname) == getattr(events[2], field.attname)


def test_annotations_are_kept():
    venue = VenueFactory()
    event = EventFactory(venues=[venue])
    linked = Venue.objects.filter(event_links__event__in=[0])
    query = CompiledQuery(linked.annotate(of_event=F("event_links__event")))

    assert [(found, found.of_event) for found in query([event.pk])] == [(venue, event.pk)]


def test_records_can_be_saved():
    venue = VenueFactory(name="Old")
    (found,) = CompiledQuery(Venue.objects.filter(pk=0))([venue.pk])

    found.name = "New"
    found.save()

    assert Venue.objects.get().name == "New"
