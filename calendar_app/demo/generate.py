"""Generates any number of events, to test the calendar with many."""

import datetime as dt
import random
from itertools import count

from django.db.models import Max
from django.utils import timezone

from ..lib import bulk
from ..models import Category, Event, EventOrganizer, EventVenue, Organizer, Status, Tag, Venue
from ..services import counts
from ..services.revision import writing

LINKS = (EventVenue, EventOrganizer, Event.categories.through, Event.tags.through)
BATCH = 5000
DAYS = 5 * 365
ZONES = ["UTC", "Europe/Paris", "America/New_York", "Asia/Kolkata"]
WHAT = "Jazz Rock Opera Chess Yoga Poetry Theatre Science Craft Garden Food Film Dance".split()
KIND = "Night Fair Workshop Concert Meetup Class Festival Talk Tour Market Brunch Show".split()
WHERE = "Riverside Old Town Harbour Station Hilltop Castle Park Library Mill Chapel".split()


def generate(number, *, seed=1, progress=lambda done: None):
    """Store this number of published events with venues, organizers and terms.

    The same seed gives the same events. progress is called with the number stored so far.
    """
    chance = random.Random(seed)  # noqa: S311
    with writing():
        linked = _Linked(chance)
    for start in range(0, number, BATCH):
        with writing():
            _insert_batch(min(BATCH, number - start), chance, linked)
        progress(min(start + BATCH, number))
    with writing():
        counts.recount()
    bulk.analyze(Event, *LINKS, Venue, Organizer, Category, Tag)


class _Linked:
    """The IDs of the records that generated events are linked to, created by the first run."""

    def __init__(self, chance):
        self.categories = _ids(Category, 20)
        self.tags = _ids(Tag, 100)
        self.venues = _ids(
            Venue,
            200,
            lambda: {"geo_lat": chance.uniform(-60, 70), "geo_lng": chance.uniform(-180, 180)},
        )
        self.organizers = _ids(Organizer, 100)


def _ids(model, number, more=dict):
    name = model._meta.verbose_name
    made = [
        model.objects.get_or_create(slug=f"generated-{name}-{n}", defaults=_named(name, n, more()))
        for n in range(number)
    ]
    return [record.pk for record, _ in made]


def _named(name, n, more):
    return {"name": f"Generated {name} {n} {WHERE[n % len(WHERE)]}", **more}


def _insert_batch(number, chance, linked):
    now = timezone.now()
    first = _next_id(Event)
    events = [_event(pk, chance, now) for pk in range(first, first + number)]
    bulk.insert(Event, events)
    _link(EventVenue, events, "venue_id", linked.venues, chance)
    _link(EventOrganizer, events, "organizer_id", linked.organizers, chance)
    _link(Event.categories.through, events, "category_id", linked.categories, chance)
    _link(Event.tags.through, events, "tag_id", linked.tags, chance)


def _event(pk, chance, now):
    start = dt.datetime.combine(now.date(), dt.time(chance.randrange(8, 22)))
    start += dt.timedelta(days=chance.randrange(-DAYS, DAYS))
    title = f"{chance.choice(WHERE)} {chance.choice(WHAT)} {chance.choice(KIND)} {pk}"
    event = Event(
        pk=pk,
        status=Status.PUBLISH,
        title=title,
        slug=f"generated-event-{pk}",
        description=f"<p>{title}, with {chance.choice(WHAT).lower()} for everybody.</p>",
        start_date=start,
        end_date=start + dt.timedelta(hours=chance.choice([1, 2, 3, 8, 48])),
        timezone=chance.choice(ZONES),
        cost=chance.choice(["", "Free", "$10", "$10 – $25"]),
        featured=chance.random() < 0.01,
        ticketed=chance.random() < 0.1,
    )
    event.prepare(now)
    return event


def _link(through, events, column, ids, chance):
    pks = count(_next_id(through))
    links = (
        through(pk=next(pks), event_id=event.pk, **{column: chance.choice(ids)}) for event in events
    )
    bulk.insert(through, links)


def _next_id(model):
    """Return the ID after the highest; it is free only inside ``revision.writing()``."""
    return (model._base_manager.aggregate(Max("pk"))["pk__max"] or 0) + 1
