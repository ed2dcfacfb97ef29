"""The demo calendar: the programme of a city in the weeks around the day it is created."""

import datetime as dt
import tomllib
from collections import Counter
from functools import cached_property
from pathlib import Path

from django.core.files.base import ContentFile

from calendar_app.demo import posters
from calendar_app.models import Category, Event, Image, Organizer, Tag, Venue
from calendar_app.services import events, images, posts, series
from calendar_app.services.series import Rule
from calendar_app.values.slugs import slug_of

HERE = Path(__file__).parent
ZONE = "Europe/London"
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
KINDS = (Event, Venue, Organizer, Category, Tag, Image)
COPIED = ("title", "cost", "excerpt", "featured", "status", "sticky", "ticketed", "website")


class DemoCalendar:
    """Creates the missing records of the demo calendar; ``created`` counts them by model.

    Existing records are left unchanged, even if they were edited.
    """

    def __init__(self, today: dt.date, author=None):
        self.monday = today - dt.timedelta(days=today.weekday())
        self.author = author
        self.created = Counter(dict.fromkeys(KINDS, 0))

    def create(self):
        city = _read("city.toml")
        self.venues = {entry["name"]: self._post(Venue, entry) for entry in city["venues"]}
        self.organizers = {
            entry["name"]: self._post(Organizer, entry) for entry in city["organizers"]
        }
        self.categories = dict(self._tree(city["categories"]))
        for entry in [*_read("series.toml")["events"], *_read("programme.toml")["events"]]:
            self._events(entry)

    @cached_property
    def known(self):
        """The source IDs of the existing events; of a series, that of its first one."""
        demo = Event.objects.filter(source_id__startswith="demo:")
        return set(demo.values_list("source_id", flat=True))

    def _post(self, model, entry):
        source_id = _source_id(entry["name"])
        if found := model.objects.filter(source_id=source_id).first():
            return found
        post = model(author=self.author, source_id=source_id, **entry)
        posts.save(post)
        self.created[model] += 1
        return post

    def _tree(self, tree):
        for name, children in tree.items():
            parent = self._term(Category, name, parent=None)
            yield name, parent
            for child in children:
                yield child, self._term(Category, child, parent=parent)

    def _term(self, model, name, **fields):
        term, is_new = model.objects.get_or_create(
            name__iexact=name, **fields, defaults={"name": name}
        )
        self.created[model] += is_new
        return term

    def _image(self, name):
        title = f"Poster: {name}"
        if image := Image.objects.filter(title=title).first():
            return image
        self.created[Image] += 1
        file = ContentFile(posters.draw(name), f"{name}.jpg")
        return images.store(file, author=self.author, title=title)

    def _events(self, entry):
        source_id = _source_id(entry["title"])
        if source_id in self.known:
            return
        event, links = self._event(entry), self._links(entry)
        event.source_id = source_id
        if repeat := entry.get("repeat"):
            self._series(event, repeat, links)
        else:
            events.save(event, **links)
            self.created[Event] += 1

    def _series(self, event, repeat, links):
        """Store event and the dates after it, of which one is moved and one cancelled."""
        rule = f"{_frequency(repeat['every'], event.start_date)};COUNT={repeat['times']}"
        dates = series.create(event, Rule(rule), **links).events.order_by("original_start")
        self.created[Event] += len(dates)
        if moved := repeat.get("moved"):
            date = dates[moved - 1]
            events.move(date, date.start_date + dt.timedelta(days=1), seen=date.start_date)
        if cancelled := repeat.get("cancelled"):
            series.cancel(dates[cancelled - 1])

    def _event(self, entry):
        event = Event(author=self.author, timezone=entry.get("zone", ZONE))
        for name in COPIED:
            if name in entry:
                setattr(event, name, entry[name])
        event.description = entry["text"]
        event.hide_from_listings = entry.get("hidden", False)
        event.all_day = "days" in entry
        event.start_date = self._start(entry["when"])
        event.end_date = event.start_date + _length(entry)
        event.set_password(entry.get("password"))
        if "picture" in entry:
            event.image = self._image(entry["picture"])
        return event

    def _links(self, entry):
        return {
            "venues": [self.venues[entry["venue"]]],
            "organizers": [self.organizers[name] for name in entry["organizers"]],
            "categories": [self.categories[name] for name in entry["categories"]],
            "tags": [self._term(Tag, name) for name in entry.get("tags", ())],
        }

    def _start(self, when):
        week, weekday, *clock = when.split()
        day = self.monday + dt.timedelta(weeks=int(week), days=WEEKDAYS.index(weekday))
        return dt.datetime.combine(day, dt.time.fromisoformat(clock[0] if clock else "00:00"))


def _length(entry):
    if "days" in entry:
        return dt.timedelta(days=entry["days"] - 1)
    return dt.timedelta(hours=entry["hours"])


def _frequency(every, start):
    """Return the rule of a week, or of a month by the weekday of start."""
    if every == "week":
        return "FREQ=WEEKLY"
    number = (start.day - 1) // 7 + 1
    weekday = WEEKDAYS[start.weekday()][:2].upper()
    return f"FREQ=MONTHLY;BYDAY={number if number < 5 else -1}{weekday}"


def _source_id(name):
    return f"demo:{slug_of(name)}"


def _read(name):
    return tomllib.loads((HERE / name).read_text(encoding="utf-8"))
