"""Import of the events of another service with this interface, and of what they are linked to."""

import html
from collections import defaultdict
from functools import cache
from hashlib import sha256

from ..api.serializers import (
    CategorySerializer,
    EventSerializer,
    OrganizerSerializer,
    TagSerializer,
    VenueSerializer,
)
from ..api.serializers.fields import is_web_address
from ..models import Category, Event, Tag
from ..values import cost, dates, names, time_zones
from .remote_calendar import Service, ServiceError, as_json
from .writer import Copier, RefusedError, Source

# What is the source's own affair, or goes by other names here.
NOT_COPIED = {"id", "author", "date", "image", "categories", "tags", "venue", "organizer"}
TEXTS = ("title", "cost", "venue", "organizer", "address", "city", "country", "province", "state")
MAX_LEVELS = 50


class ServiceImport:
    """Stores the records of service through copier, each with the ID that it has there."""

    def __init__(self, service: Service, copier: Copier):
        self.service, self.copier = service, copier
        # That namespace writes its texts as HTML, "Rock &amp; Roll".
        self.is_escaped = "/tribe/" in service.base
        self.tree: dict[int, dict] = {}
        self.category, self.tag = cache(self._category), cache(self._tag)
        self._linked: dict[tuple, int] = {}
        self.source_ids: dict[int, str] = {}  # of the events, by their IDs there

    def read_categories(self):
        """Read the tree of categories, of which an event has only the leaves."""
        try:
            for page in self.service.pages("categories", {"hide_empty": 0}):
                self.tree |= {term["id"]: {**term} for term in page.records if _id(term)}
        except ServiceError as e:
            self.copier.outcome.problems.append(f"The category tree could not be read: {e}")
        self._cut_circles()

    def store(self, record):
        """Store an event, or notes why that cannot be; one that went to the trash goes there."""
        label = _label("Event", record)
        with self.copier.leaving_out(label):
            source = self._source(record)
            self.source_ids[record["id"]] = source.id
            if record.get("status") == "trash":
                self.copier.retire(Event, source.id)
                return
            self.copier.copy(EventSerializer, source, lambda known: self._event(record, label))

    def set_parent(self, pk: int, params: dict):
        """Ask which events are parts of the one with this ID there, and make them so here."""
        for page in self.service.pages("events", {**params, "post_parent": pk}):
            for record in page.records:
                parent, child = self._local(pk), self._local(_id(record))
                if parent and child and child.parent_id != parent.pk:
                    self._join(child, parent)

    def _join(self, child, parent):
        try:
            self.copier.change(EventSerializer, child, {"post_parent": parent.pk})
        except RefusedError as e:
            label = f"Event '{child.title[:80]}'"
            self.copier.outcome.problems.append(f"{label} was not attached to its parent: {e}")

    def _local(self, pk):
        events = Event.objects.untrashed().filter(source_id=self.source_ids.get(pk, ""))
        return events.first()

    def _source(self, record):
        """Return where a record comes from; raises RefusedError for what is no record."""
        content = as_json(record)
        if content is None:
            raise RefusedError("It is nested too deeply.")
        if not _id(record):
            raise RefusedError("It is not an object with an ID.")
        global_id = str(record.get("global_id") or f"{self.service.host}?id={record['id']}")
        version = record.get("modified_utc")
        if not isinstance(version, str) or not version:
            version = sha256(content).hexdigest()
        lineage = record.get("global_id_lineage")
        lineage = [str(step) for step in lineage] if isinstance(lineage, list) else [global_id]
        ids = [step.replace("\0", "")[:255] for step in (global_id, *lineage[-20:])]
        return Source(ids[0], version.replace("\0", "")[:64], ids[1:])

    def _event(self, record, label):
        data = self._data(record, label) | _instants(record)
        if "cost" in data:
            data["cost"] = cost.unfolded(data["cost"], record.get("cost_details"))
        data["categories"] = self._each(record, "categories", label, self._category_of)
        data["tags"] = self._each(record, "tags", label, self._tag_of)
        data["venue"] = self._each(record, "venue", label, self._venue)
        data["organizer"] = self._each(record, "organizer", label, self._organizer)
        return data

    def _each(self, record, name, label, convert):
        """Return the IDs of what stands at a name, one or a list; what is broken is left out."""
        value, found = record.get(name), []
        for item in value if isinstance(value, list) else filter(None, [value]):
            with self.copier.leaving_out(f"{label}: {_label(f'one of its {name}', item)}"):
                found.append(convert(item))
        return found

    def _venue(self, record):
        return self._link(VenueSerializer, record, "venue")

    def _organizer(self, record):
        return self._link(OrganizerSerializer, record, "organizer")

    def _link(self, serializer_class, record, name):
        """Return the ID of the copy of a venue or an organizer, stored once a run."""
        source = self._source(record)
        # A venue and an organizer may have the same ID.
        key = serializer_class, source.id
        if key not in self._linked:
            label = _label(name.capitalize(), record)
            self._linked[key] = self.copier.copy(
                serializer_class,
                source,
                lambda known: {**self._data(record, label), name: self._text(record.get(name))},
            )
        return self._linked[key]

    def _data(self, record, label):
        """Return what an event, a venue or an organizer has of its own."""
        data = {name: value for name, value in record.items() if name not in NOT_COPIED}
        data |= {name: self._text(data[name]) for name in TEXTS if name in data}
        website = data.get("website")
        if website and not (isinstance(website, str) and is_web_address(website)):
            self.copier.outcome.problems.append(f"{label}: its website was skipped.")
            del data["website"]
        if not isinstance(data.get("custom_fields"), dict):
            data.pop("custom_fields", None)
        image = record.get("image")
        url = image.get("url") if isinstance(image, dict) else image
        if isinstance(url, str) and (url := self.copier.image(url, label)):
            data["image"] = url
        return data

    def _text(self, value):
        if not isinstance(value, str):
            return value
        return (html.unescape(value) if self.is_escaped else value).replace("\0", "")

    def _category_of(self, term):
        if not _id(term):
            raise RefusedError("It is not an object with an ID.")
        self.tree.setdefault(term["id"], {**term, "parent": 0})
        return self.category(term["id"])

    def _category(self, remote_id):
        """Return the ID of the category that is, below its parents, one of the service's."""
        term = self.tree[remote_id]
        parent = self.category(term["parent"]) if term["parent"] in self.tree else None
        name = self._name(term)
        known = names.matching(Category.objects.filter(parent=parent), [name]).first()
        if known:
            return known.pk
        data = {"name": name, "description": term.get("description"), "parent": parent or 0}
        return self.copier.make(CategorySerializer, data)

    def _cut_circles(self):
        """Take to the top level what hangs from no category of it, or too far below."""
        below = defaultdict(list)
        for pk, term in self.tree.items():
            term["parent"] = term.get("parent") if _id({"id": term.get("parent")}) else 0
            below[term["parent"] if term["parent"] in self.tree else 0].append(pk)
        reached, level = set(), below[0]
        for _ in range(MAX_LEVELS):
            reached.update(level)
            level = [child for pk in level for child in below[pk]]
        for pk in [pk for pk in self.tree if pk not in reached]:
            self.tree[pk]["parent"] = 0
            self.copier.outcome.problems.append(
                f"{_label('Category', self.tree[pk])} was moved to the top level: its "
                f"ancestors form a circle, or are more than {MAX_LEVELS}."
            )

    def _tag_of(self, term):
        return self.tag(self._name(term))

    def _name(self, term):
        name = self._text(term.get("name")) if isinstance(term, dict) else ""
        if not (isinstance(name, str) and name.strip()):
            raise RefusedError("It has no name.")
        return name.strip()

    def _tag(self, name):
        known = names.matching(Tag.objects.all(), [name]).first()
        return known.pk if known else self.copier.make(TagSerializer, {"name": name})


def _instants(record):
    """Return those times of an event that clocks show twice, as the instants that are meant."""
    times = {name: record.get(f"utc_{name}") for name in ("start_date", "end_date")}
    try:
        zone = time_zones.get(str(record.get("timezone")))
        twice = {
            n for n in times if time_zones.is_ambiguous(dates.wall(str(record.get(n)), zone), zone)
        }
    except (time_zones.ZoneError, dates.DateError):
        return {}  # refused when the event is stored
    return {name: f"{times[name]}Z" for name in twice if isinstance(times[name], str)}


def _id(record):
    """Return the ID of a record; None when it is no object, or has none."""
    pk = record.get("id") if isinstance(record, dict) else None
    return pk if isinstance(pk, int) and pk is not True else None


def _label(kind, record):
    """Return what a record is called in a sentence."""
    record = record if isinstance(record, dict) else {}
    names = (record.get(name) for name in ("title", "venue", "organizer", "name"))
    name = next((name for name in names if name and isinstance(name, str)), "")
    return f"{kind} {_id(record) or 'without an ID'} '{name[:80]}'"
