"""Imports the events of another service with the same API, with all records they are linked to."""

import html
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
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
from .known_events import BATCH, by_source_ids
from .remote_calendar import Service, ServiceError, as_json
from .writer import Importer, RejectedError, Source

# Fields that only matter at the source, or are converted below.
NOT_COPIED = {"id", "author", "date", "image", "categories", "tags", "venue", "organizer"}
TEXTS = ("title", "cost", "venue", "organizer", "address", "city", "country", "province", "state")
MAX_LEVELS = 50  # of nested categories


class ServiceImport:
    """Stores the records of service through importer, each with its global ID as source ID."""

    def __init__(self, service: Service, importer: Importer):
        self.service, self.importer = service, importer
        # Services of that namespace write texts as HTML, "Rock &amp; Roll".
        self.is_escaped = "/tribe/" in service.base
        self.tree: dict[int, dict] = {}
        self.category, self.tag = cache(self._category), cache(self._tag)
        self._linked: dict[tuple, int] = {}
        self.source_ids: dict[int, str] = {}  # of the events, by their IDs at the service

    def read_categories(self):
        """Read the tree of categories, of which an event names only the leaves."""
        try:
            for page in self.service.pages("categories", {"hide_empty": 0}):
                self.tree |= {term["id"]: {**term} for term in page.records if _id(term)}
        except ServiceError as e:
            self.importer.outcome.problems.append(f"The category tree could not be read: {e}")
        self._flatten_circles()

    def refusal(self, source: Source) -> str:
        """Return why the event of a source may not be changed; "" if it may."""
        return ""

    def decided(self, known: Event | None) -> dict:
        """Return what is not left to the service of an event, new or known."""
        return {}

    def store_each(self, records: list) -> Iterator[int | None]:
        """Store events, and yield for each what ``store`` returns; known ones are read together."""
        for start in range(0, len(records), BATCH):
            batch = records[start : start + BATCH]
            ids = []
            for record in batch:
                with suppress(RejectedError):
                    ids.append(self._source(record).id)
            self.importer.expect(by_source_ids(ids))
            yield from map(self.store, batch)

    def store(self, record) -> int | None:
        """Store an event and return its ID; trash one that was trashed at the service.

        None is for that, and for an event with a problem, which is noted.
        """
        label = _label("Event", record)
        with self.importer.skipping(label):
            source = self._source(record)
            self.source_ids[record["id"]] = source.id
            if why := self.refusal(source):
                raise RejectedError(why)
            if record.get("status") == "trash":
                self.importer.trash(Event, source.id)
                return None
            return self.importer.store(
                EventSerializer,
                source,
                lambda known: self._event(record, label) | self.decided(known),
            )
        return None

    def set_parent(self, pk: int, params: dict):
        """Set the parent of the events that belong to the one with this ID at the service."""
        for page in self.service.pages("events", {**params, "post_parent": pk}):
            for record in page.records:
                parent, child = self._local(pk), self._local(_id(record))
                if parent and child and child.parent_id != parent.pk:
                    self._join(child, parent)

    def _join(self, child, parent):
        try:
            self.importer.change(EventSerializer, child, {"post_parent": parent.pk})
        except RejectedError as e:
            label = f"Event '{child.title[:80]}'"
            self.importer.outcome.problems.append(f"{label} was not attached to its parent: {e}")

    def _local(self, pk):
        events = Event.objects.untrashed().filter(source_id=self.source_ids.get(pk, ""))
        return events.first()

    def _source(self, record):
        """Return the source of a record. Raises RejectedError for an invalid one."""
        content = as_json(record)
        if content is None:
            raise RejectedError("It is nested too deeply.")
        if not _id(record):
            raise RejectedError("It is not an object with an ID.")
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
            data["cost"] = cost.with_all_amounts(data["cost"], record.get("cost_details"))
        data["categories"] = self._each(record, "categories", label, self._category_of)
        data["tags"] = self._each(record, "tags", label, self._tag_of)
        data["venue"] = self._each(record, "venue", label, self._venue)
        data["organizer"] = self._each(record, "organizer", label, self._organizer)
        return data

    def _each(self, record, name, label, convert):
        """Return the IDs for the value of a field, single or a list; skip invalid items."""
        value, found = record.get(name), []
        for item in value if isinstance(value, list) else filter(None, [value]):
            with self.importer.skipping(f"{label}: {_label(f'one of its {name}', item)}"):
                found.append(convert(item))
        return found

    def _venue(self, record):
        return self._link(VenueSerializer, record, "venue")

    def _organizer(self, record):
        return self._link(OrganizerSerializer, record, "organizer")

    def _link(self, serializer_class, record, name):
        """Return the ID of the imported venue or organizer, stored once per run."""
        source = self._source(record)
        # A venue and an organizer may have the same ID.
        key = serializer_class, source.id
        if key not in self._linked:
            label = _label(name.capitalize(), record)
            self._linked[key] = self.importer.store(
                serializer_class,
                source,
                lambda known: {**self._data(record, label), name: self._text(record.get(name))},
            )
        return self._linked[key]

    def _data(self, record, label):
        """Return the fields of an event, venue or organizer, without its links."""
        data = {name: value for name, value in record.items() if name not in NOT_COPIED}
        data |= {name: self._text(data[name]) for name in TEXTS if name in data}
        website = data.get("website")
        if website and not (isinstance(website, str) and is_web_address(website)):
            self.importer.outcome.problems.append(f"{label}: its website was skipped.")
            del data["website"]
        if not isinstance(data.get("custom_fields"), dict):
            data.pop("custom_fields", None)
        image = record.get("image")
        url = image.get("url") if isinstance(image, dict) else image
        if isinstance(url, str) and (url := self.importer.image(url, label)):
            data["image"] = url
        return data

    def _text(self, value):
        if not isinstance(value, str):
            return value
        return (html.unescape(value) if self.is_escaped else value).replace("\0", "")

    def _category_of(self, term):
        if not _id(term):
            raise RejectedError("It is not an object with an ID.")
        self.tree.setdefault(term["id"], {**term, "parent": 0})
        return self.category(term["id"])

    def _category(self, remote_id):
        """Return the ID of the category for one of the service; create it if needed."""
        term = self.tree[remote_id]
        parent = self.category(term["parent"]) if term["parent"] in self.tree else None
        name = self._name(term)
        known = names.matching(Category.objects.filter(parent=parent), [name]).first()
        if known:
            return known.pk
        data = {"name": name, "description": term.get("description"), "parent": parent or 0}
        return self.importer.make(CategorySerializer, data)

    def _flatten_circles(self):
        """Move categories to the top level that are in a circle, or too deep in the tree."""
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
            self.importer.outcome.problems.append(
                f"{_label('Category', self.tree[pk])} was moved to the top level: its "
                f"ancestors form a circle, or are more than {MAX_LEVELS}."
            )

    def _tag_of(self, term):
        return self.tag(self._name(term))

    def _name(self, term):
        name = self._text(term.get("name")) if isinstance(term, dict) else ""
        if not (isinstance(name, str) and name.strip()):
            raise RejectedError("It has no name.")
        return name.strip()

    def _tag(self, name):
        known = names.matching(Tag.objects.all(), [name]).first()
        return known.pk if known else self.importer.make(TagSerializer, {"name": name})


def _instants(record):
    """Return the ambiguous local times of an event as instants."""
    times = {name: record.get(f"utc_{name}") for name in ("start_date", "end_date")}
    try:
        zone = time_zones.get(str(record.get("timezone")))
        twice = {
            n for n in times if time_zones.is_ambiguous(dates.wall(str(record.get(n)), zone), zone)
        }
    except (time_zones.ZoneError, dates.DateError):
        return {}  # an error when the event is stored
    return {name: f"{times[name]}Z" for name in twice if isinstance(times[name], str)}


def _id(record):
    """Return the ID of a record; None if it has none or is not an object."""
    pk = record.get("id") if isinstance(record, dict) else None
    return pk if isinstance(pk, int) and pk is not True else None


def _label(kind, record):
    """Return the kind, ID and name of a record, for messages."""
    record = record if isinstance(record, dict) else {}
    names = (record.get(name) for name in ("title", "venue", "organizer", "name"))
    name = next((name for name in names if name and isinstance(name, str)), "")
    return f"{kind} {_id(record) or 'without an ID'} '{name[:80]}'"
