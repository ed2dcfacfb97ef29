"""The JSON of records as lists show them to the public, kept in this process.

A list whose response is not kept then renders only the records that a write has changed since: a
page of ten events takes half the time. The categories and tags inside an event are fragments of
their own, since their counts change with every event that is added.
"""

from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from threading import Lock
from typing import Any, NamedTuple

import orjson

from ..models import Category, Revision, Tag
from ..services import revision
from .caching import fingerprint
from .representations import embedded_term, fetch

MAX_BYTES = 16_000_000  # some 3,000 events
EMBEDDED = {"categories": Category, "tags": Tag}
HOLE = b"\0"  # which JSON never contains

Key = tuple[Any, ...]  # the name of a model, an ID, and what else the JSON depends on
Term = tuple[str, int]


class Fragment(NamedTuple):
    """The JSON around holes, and the terms ``embedded`` in each, by name of the model and ID."""

    parts: tuple[bytes, ...]
    embedded: tuple[tuple[Term, ...], ...] = ()

    @property
    def size(self) -> int:
        return sum(map(len, self.parts)) + 200 * (1 + sum(map(len, self.embedded)))


class Store:
    """Fragments by key, at most ``max_bytes``; what was used least recently goes first."""

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self._lock = Lock()
        self.clear()

    def clear(self) -> None:
        self._kept: OrderedDict[Key, Fragment] = OrderedDict()
        self._variants: set[Key] = set()
        self._bytes = 0
        self._at = Revision(stamp=-1)

    def follow(self, now: Revision) -> None:
        """Forget what changed up to this revision."""
        if (self._at.stamp, self._at.changed_at) == (now.stamp, now.changed_at):
            return
        with self._lock:
            if now.stamp <= self._at.stamp and now.changed_at <= self._at.changed_at:
                return  # another request has seen a later one
            changes = revision.changes_since(self._at, now)
            if changes is None:
                self.clear()
            for kind, pk in changes or ():
                for variant in self._variants:
                    self._drop((kind, pk, *variant))
            self._at = now

    def get(self, key: Key) -> Fragment | None:
        with self._lock:
            found = self._kept.get(key)
            if found:
                self._kept.move_to_end(key)
            return found

    def keep(self, found: dict[Key, Fragment], read_at: Revision) -> None:
        """Keep fragments of what was read when the calendar had this revision, or later."""
        with self._lock:
            if read_at.stamp != self._at.stamp:
                return  # a change that came while they were read may be missing in them
            for key, fragment in found.items():
                self._drop(key)
                self._kept[key] = fragment
                self._variants.add(key[2:])
                self._bytes += fragment.size
            while self._bytes > self.max_bytes:
                self._drop(next(iter(self._kept)))

    def _drop(self, key: Key) -> None:
        if fragment := self._kept.pop(key, None):
            self._bytes -= fragment.size


store = Store(MAX_BYTES)


def page(
    view: Any, ids: Sequence[int], represent: Callable[[list[int]], Any]
) -> list[orjson.Fragment]:
    """Return the JSON of the records with these IDs, in this order; skip those that are gone.

    ``represent`` returns what the view shows the public of records, as a list of dicts.
    """
    variant = fingerprint(), view.urls.base
    store.follow(view.revision)
    records = _find(view.kind, ids, variant, view.revision, represent)
    shown = [records[pk] for pk in ids if pk in records]
    wanted = {term for record in shown for hole in record.embedded for term in hole}
    terms = _terms(wanted, variant, view)
    return [orjson.Fragment(_joined(record, terms)) for record in shown]


def _terms(wanted: Collection[Term], variant: Key, view: Any) -> dict[Term, bytes]:
    found = {}
    for model in EMBEDDED.values():
        kind = str(model._meta.model_name)
        ids = [pk for name, pk in wanted if name == kind]

        def represent(ids: list[int], model: Any = model) -> list[dict[str, Any]]:
            return [embedded_term(term, view.urls) for term in fetch(model, ids, None)]

        rendered = _find(kind, ids, (*variant, "embedded"), view.revision, represent)
        found |= {(kind, pk): each.parts[0] for pk, each in rendered.items()}
    return found


def _find(
    kind: str,
    ids: Sequence[int],
    variant: Key,
    read_at: Revision,
    represent: Callable[[list[int]], Any],
) -> dict[int, Fragment]:
    found = {pk: store.get((kind, pk, *variant)) for pk in ids}
    if missing := [pk for pk, each in found.items() if each is None]:
        new: dict[Key, Fragment] = {}
        for data in represent(missing):
            found[data["id"]] = new[kind, data["id"], *variant] = _fragment(data, variant, new)
        store.keep(new, read_at)
    return {pk: each for pk, each in found.items() if each is not None}


def _fragment(data: dict[str, Any], variant: Key, new: dict[Key, Fragment]) -> Fragment:
    """Return the fragment of a record; add those of the terms in it to ``new``."""
    holes = [name for name in data if name in EMBEDDED]
    embedded = []
    for name in holes:
        kind = str(EMBEDDED[name]._meta.model_name)
        terms = {(kind, term["id"]): term for term in data[name]}
        new.update(
            ((*key, *variant, "embedded"), Fragment((_json(term),))) for key, term in terms.items()
        )
        embedded.append(tuple(terms))
    around = data | dict.fromkeys(holes, orjson.Fragment(HOLE))
    return Fragment(tuple(_json(around).split(HOLE)), tuple(embedded))


def _joined(record: Fragment, terms: dict[Term, bytes]) -> bytes:
    joined = [record.parts[0]]
    for keys, part in zip(record.embedded, record.parts[1:], strict=True):
        joined += [b"[", b",".join(terms[key] for key in keys if key in terms), b"]", part]
    return b"".join(joined)


def _json(data: Any) -> bytes:
    return orjson.dumps(data, default=str)
