"""Import of the events of another service with this interface, and of what they are linked to."""

import html
from functools import cache
from hashlib import sha256

import orjson

from ..models import Category, Event
from ..names import named
from ..serializers import (
    CategorySerializer,
    EventSerializer,
    OrganizerSerializer,
    VenueSerializer,
)
from ..serializers.fields import is_web_address
from .copying import Copier, RefusedError, Source
from .service import Service, ServiceError

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
        self.category = cache(self._category)
        self._linked: dict[tuple, int] = {}
        self.source_ids: dict[int, str] = {}  # of the events, by their IDs there

    def read_categories(self):
        """Read the tree of categories, of which an event has only the leaves."""
        try:
            for page in self.service.pages("categories", {"hide_empty": 0}):
                self.tree |= {
                    term["id"]: term
                    for term in page.records
                    if isinstance(term, dict) and isinstance(term.get("id"), int)
                }
        except ServiceError as e:
            self.copier.outcome.problems.append(f"The levels of the categories are unknown: {e}")

    def store(self, record):
        """Store an event, or notes why that cannot be; one that went to the trash goes there."""
        label = _label("Event", record)
        try:
            source = self._source(record)
            self.source_ids[record["id"]] = source.id
            if record.get("status") == "trash":
                self.copier.retire(Event, source.id)
                return
            self.copier.copy(EventSerializer, source, lambda known: self._event(record, label))
        except RefusedError as e:
            self.copier.outcome.problems.append(f"{label} was left out: {e}")

    def set_parent(self, pk: int, params: dict):
        """Ask which events are parts of the one with this ID there, and make them so here."""
        for page in self.service.pages("events", {**params, "post_parent": pk}):
            for record in page.records:
                parent, child = self._local(pk), self._local(record.get("id"))
                if parent and child and child.parent_id != parent.pk:
                    self._join(child, parent)

    def _join(self, child, parent):
        try:
            self.copier.change(EventSerializer, child, {"post_parent": parent.pk})
        except RefusedError as e:
            label = f"Event '{child.title[:80]}'"
            self.copier.outcome.problems.append(f"{label} is no part of another: {e}")

    def _local(self, pk):
        events = Event.objects.untrashed().filter(source_id=self.source_ids.get(pk, ""))
        return events.first()

    def _source(self, record):
        """Return where a record comes from; raises RefusedError for what is no record."""
        if not isinstance(record, dict) or not isinstance(record.get("id"), int):
            raise RefusedError("It is not an object with an ID.")
        global_id = str(record.get("global_id") or f"{self.service.host}?id={record['id']}")
        version = record.get("modified_utc")
        if not isinstance(version, str) or not version:
            version = sha256(orjson.dumps(record, option=orjson.OPT_SORT_KEYS)).hexdigest()
        lineage = record.get("global_id_lineage")
        lineage = [str(step) for step in lineage] if isinstance(lineage, list) else [global_id]
        ids = [step.replace("\0", "")[:255] for step in (global_id, *lineage[-20:])]
        return Source(ids[0], version.replace("\0", "")[:64], ids[1:])

    def _event(self, record, label):
        data = self._data(record, label)
        data["categories"] = self._categories(record.get("categories"))
        data["tags"] = [{"name": self._text(tag["name"])} for tag in _objects(record, "tags")]
        data["venue"] = self._links(VenueSerializer, record, "venue")
        data["organizer"] = self._links(OrganizerSerializer, record, "organizer")
        return data

    def _links(self, serializer_class, record, name):
        found = (self._link(serializer_class, linked) for linked in _objects(record, name))
        return [pk for pk in found if pk]

    def _link(self, serializer_class, record):
        """Return the ID of the copy of a venue or an organizer, stored once a run."""
        label = _label(serializer_class.model.__name__, record)
        try:
            source = self._source(record)
            # A venue and an organizer may have the same ID.
            key = serializer_class, source.id
            if key not in self._linked:
                self._linked[key] = self.copier.copy(
                    serializer_class, source, lambda known: self._named(record, label)
                )
            return self._linked[key]
        except RefusedError as e:
            self.copier.outcome.problems.append(f"{label} was left out: {e}")
            return None

    def _named(self, record, label):
        name = "venue" if "venue" in record else "organizer"
        return {**self._data(record, label), name: self._text(record.get(name))}

    def _data(self, record, label):
        """Return what an event, a venue or an organizer has of its own."""
        data = {name: value for name, value in record.items() if name not in NOT_COPIED}
        data |= {name: self._text(data[name]) for name in TEXTS if name in data}
        website = data.get("website")
        if website and not (isinstance(website, str) and is_web_address(website)):
            self.copier.outcome.problems.append(f"{label}: its website was left out.")
            del data["website"]
        if not isinstance(data.get("custom_fields"), dict):
            data.pop("custom_fields", None)
        image = record.get("image")
        url = image.get("url") if isinstance(image, dict) else image
        if isinstance(url, str) and (url := self.copier.image(url, label)):
            data["image"] = url
        return data

    def _text(self, value):
        return html.unescape(value) if self.is_escaped and isinstance(value, str) else value

    def _categories(self, terms):
        found = []
        for term in _objects({"categories": terms}, "categories"):
            self.tree.setdefault(term.get("id"), {**term, "parent": 0})
            found.append(self.category(term.get("id")))
        return found

    def _category(self, remote_id, levels=0):
        """Return the ID of the category that is, below its parents, one of the service's."""
        term = self.tree[remote_id]
        above = term.get("parent")
        parent = None
        if above in self.tree and levels < MAX_LEVELS:
            parent = self._category(above, levels + 1)
        name = self._text(term.get("name"))
        known = named(Category.objects.filter(parent=parent), [str(name).strip()]).first()
        if known:
            return known.pk
        data = {"name": name, "description": term.get("description"), "parent": parent or 0}
        return self.copier.make(CategorySerializer, data)


def _objects(record, name):
    """Return the objects at a name, whether one or a list of them stands there."""
    value = record.get(name)
    values = value if isinstance(value, list) else [value]
    return [item for item in values if isinstance(item, dict)]


def _label(kind, record):
    """Return what a record is called in a sentence."""
    record = record if isinstance(record, dict) else {}
    name = record.get("title") or record.get("venue") or record.get("organizer") or ""
    return f"{kind} {record.get('id', 'without an ID')} '{str(name)[:80]}'"
