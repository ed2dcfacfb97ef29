from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from calendar_app.demo.generate import generate
from calendar_app.models import Category, Event, EventVenue

from ..support.factories import EventFactory

pytestmark = pytest.mark.django_db


def test_generated_events_are_whole_and_can_be_added_to():
    before = EventFactory()
    generate(5)
    generate(3, seed=2)
    after = EventFactory()

    made = Event.objects.exclude(pk__in=[before.pk, after.pk])
    assert made.count() == 8
    assert EventVenue.objects.filter(event__in=made).count() == 8
    assert sum(Category.objects.values_list("count", flat=True)) == 8
    for event in made:
        event.full_clean()


def test_the_same_seed_makes_the_same_events():
    generate(5)
    first = list(Event.objects.order_by("pk").values_list("start_date", "duration", "cost"))
    Event.objects.all().delete()
    generate(5)

    assert list(Event.objects.order_by("pk").values_list("start_date", "duration", "cost")) == first


def test_the_command_says_what_it_stored():
    out = StringIO()

    call_command("generate_events", "3", stdout=out)

    assert out.getvalue() == "Stored 3 generated events.\n"


def test_the_command_refuses_a_number_below_one():
    with pytest.raises(CommandError, match="must be 1 or more, not 0"):
        call_command("generate_events", "0")


def test_the_planner_knows_the_number_of_events():
    generate(5)

    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT reltuples FROM pg_class WHERE relname = 'calendar_app_event'")
            known = int(cursor.fetchone()[0])
        else:
            cursor.execute("SELECT stat FROM sqlite_stat1 WHERE tbl = 'calendar_app_event'")
            known = int(cursor.fetchone()[0].split()[0])
    assert known == 5
