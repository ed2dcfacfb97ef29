"""The calendar's revision: one counter that every write increments.

Readers use it as the key of what they cache, so that no cached response outlives a change. Writers
increment it first: the lock on its row lets in one writer at a time, so that a slug or a name that
was found free is still free when it is used, on SQLite as on PostgreSQL.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db import connections, router, transaction
from django.db.models import Model, QuerySet, Subquery
from django.dispatch import Signal
from django.utils import timezone

from ..lib.compiled_queries import CompiledQuery
from ..models import Change, Revision
from . import actor

if TYPE_CHECKING:
    from .tombstones import Listing

INCREMENT = f"""
    UPDATE {Revision._meta.db_table} SET stamp = stamp + 1, changed_at = %s WHERE id = 1
    RETURNING stamp, has_webhooks
"""  # noqa: S608
Verb = Change.Verb
KEPT_CHANGES = 1000  # a process that has slept through more forgets all that it has rendered


ending = Signal()  # of a write that has changed events that webhooks may tell of


class EventChange(NamedTuple):
    """What decided who saw an event before a write, and what does now; None for no event."""

    was: "Listing | None"
    now: "Listing | None"


@dataclass
class Write:
    """A write's revision, its blocks' errors, and the records that they changed: None for any."""

    stamp: int
    has_webhooks: bool
    events: dict[int, EventChange] = field(default_factory=dict)
    history: dict[tuple[str, int], Change] = field(default_factory=dict)
    errors: list[BaseException] = field(default_factory=list)
    touched: set[tuple[str, int]] | None = field(default_factory=set)
    memory: dict[Any, Any] | None = None
    collected: list[Any] | None = None


_write = ContextVar[Write | None]("calendar_write", default=None)


@contextmanager
def writing(*, precise: bool = False) -> Iterator[None]:
    """Run a block as one transaction, while no other write to the calendar runs; may be nested.

    A nested block has no savepoint, which would take two queries more: its error is the outer
    block's too, even if that one catches it. ``precise`` promises that the block passes to
    ``touch`` all records whose representations it changes, so that readers keep those of others.
    """
    write = _write.get()
    if write is not None:
        with _part_of(write, precise):
            yield
        return
    with transaction.atomic():
        token = _write.set(write := Write(*_increment()))
        try:
            with _part_of(write, precise):
                yield
        finally:
            _write.reset(token)
        _raise_first(write.errors)
        if transaction.get_rollback():
            return
        if write.events:
            ending.send(Revision, write=write)
        _log(write)


@contextmanager
def _part_of(write: Write, precise: bool) -> Iterator[None]:
    if not precise:
        write.touched = None
    try:
        yield
    except BaseException as e:
        write.errors.append(e)
        raise


@contextmanager
def part() -> Iterator[None]:
    """Run a part of a write with a savepoint: its error is not that of the whole write."""
    write = _write.get()
    assert write is not None, "A part is only of something."  # noqa: S101
    before, events, history = len(write.errors), dict(write.events), dict(write.history)
    collected = len(write.collected or ())
    try:
        with transaction.atomic():
            yield
            _raise_first(write.errors[before:])
    except BaseException:
        del write.errors[before:]
        write.events, write.history = events, history
        del (write.collected or [])[collected:]
        memory().clear()  # it may hold what is no longer stored
        raise


@contextmanager
def remembering() -> Iterator[None]:
    """Keep what ``memory`` holds until the block ends; only within ``writing``."""
    write = _write.get()
    assert write is not None, "Others may write meanwhile."  # noqa: S101
    write.memory = {}
    try:
        yield
    finally:
        write.memory = None


def memory() -> dict[Any, Any]:
    """Return what the write that is going on has looked up, if it is ``remembering``."""
    write = _write.get()
    return {} if write is None or write.memory is None else write.memory


@contextmanager
def collecting() -> Iterator[list[Any]]:
    """Let ``collected`` gather what is stored once the block ends; only within ``writing``."""
    write = _write.get()
    assert write is not None, "Others may write meanwhile."  # noqa: S101
    write.collected = []
    try:
        yield write.collected
    finally:
        write.collected = None


def collected() -> list[Any] | None:
    """Return what the write that is going on has gathered; None if it is not ``collecting``."""
    write = _write.get()
    return None if write is None else write.collected


def _raise_first(errors: list[BaseException]) -> None:
    if errors:
        raise errors[0]


def note_event(pk: int, was: "Listing | None", now: "Listing | None") -> None:
    """Note what the write that is going on does to an event, of which webhooks may tell."""
    write = _write.get()
    if write and write.has_webhooks:
        first = write.events.get(pk)
        write.events[pk] = EventChange(first.was if first else was, now)


def is_writing() -> bool:
    """Return whether a write is going on."""
    return _write.get() is not None


def touch(model: type[Model], ids: Iterable[int]) -> None:
    """Note that the write that is going on changes the representations of these records."""
    write = _write.get()
    if write and write.touched is not None:
        write.touched |= {(str(model._meta.model_name), pk) for pk in ids}


def note_change(change: Change) -> None:
    """Keep what was done to a record as its history, at the end of the write that is going on.

    What that write did to it before is part of the same change.
    """
    change.user_id, change.door = actor.current()
    write = _write.get()
    if write is None:
        change.save()
        return
    key = change.kind, change.record_id or 0
    if (before := write.history.pop(key, None)) is not None:
        _join(before, change)
    if not (before and before.verb == Verb.CREATED and change.verb == Verb.DELETED):
        write.history[key] = change


def change_of(record: Model) -> Change | None:
    """Return what the write that is going on has done to record so far; None for nothing."""
    write = _write.get()
    return write.history.get((str(record._meta.model_name), record.pk)) if write else None


def _join(before: Change, change: Change) -> None:
    """Let change begin with what the same write did before."""
    if change.verb == Verb.CHANGED:
        change.verb = before.verb
        for name, (old, _) in before.values.items():
            now = change.values.get(name, before.values[name])[1]
            change.values[name] = [old, now]
            if old == now:
                del change.values[name]


def _log(write: Write) -> None:
    rows = [each for each in write.history.values() if each.verb != Verb.CHANGED or each.values]
    if write.touched is not None:
        rows = rows or [Change()]
        rows[0].records = sorted(write.touched)
    for row in rows:
        row.stamp = write.stamp
    # One query, whatever the number of rows.
    Change.objects.bulk_create(rows, batch_size=500)
    if write.stamp % KEPT_CHANGES == 0:
        old = Change.objects.filter(records__isnull=False, stamp__lte=write.stamp - KEPT_CHANGES)
        old.filter(kind="").delete()
        old.update(records=None)


def changes_since(known: Revision, now: Revision) -> list[tuple[str, int]] | None:
    """Return the records whose representations changed between two revisions; None for any."""
    if now.stamp <= known.stamp:
        return None  # a fixture has reset it
    logged = Change.objects.filter(
        records__isnull=False, stamp__gt=known.stamp, stamp__lte=now.stamp
    )
    rows = list(logged.values_list("records", flat=True))
    if len(rows) != now.stamp - known.stamp:
        return None
    return [(kind, pk) for records in rows for kind, pk in records or ()]


def with_revision(records: QuerySet[Any]) -> QuerySet[Any]:
    """Return records that know at which revision they are read, for ``is_current``."""
    stamp = Subquery(Revision.objects.filter(pk=1).values("stamp"))
    found: QuerySet[Any] = records.annotate(read_at=stamp)
    return found


def is_current(record: Model) -> bool:
    """Return whether no other write came between reading record and the write that is going on."""
    write = _write.get()
    return write is not None and getattr(record, "read_at", None) == write.stamp - 1


def increment() -> int:
    """Increment the revision, which locks its row until the transaction ends, and return it."""
    stamp, _ = _increment()
    return stamp


def _increment() -> tuple[int, bool]:
    if not (rows := _update()):
        # The very first write. Of several at once, one creates the row and the others wait.
        Revision.objects.get_or_create(pk=1)
        rows = _update()
    [(stamp, has_webhooks)] = rows
    return stamp, bool(has_webhooks)


def _update() -> list[tuple[int, bool]]:
    connection = connections[router.db_for_write(Revision)]
    now = connection.ops.adapt_datetimefield_value(timezone.now())
    with connection.cursor() as cursor:
        cursor.execute(INCREMENT, [now])
        found: list[tuple[int, bool]] = cursor.fetchall()
    return found


def current() -> Revision:
    """Return the revision. Read it before the data: data read later is never older than its key."""
    found = _query()([1])
    return found[0] if found else Revision(pk=1)


@cache
def _query() -> CompiledQuery[Revision]:
    return CompiledQuery(Revision.objects.filter(pk=1))


def increment_on_change(sender: type[Model], raw: bool = False, **kwargs: Any) -> None:
    """Signal receiver: increment the revision for a change outside ``writing``, as in a shell."""
    if raw:
        # A fixture may contain the revision itself, as it was at some earlier time.
        rows = Change.objects.filter(records__isnull=False)
        rows.filter(kind="").delete()
        rows.update(records=None)
    if _write.get() is None and (raw or sender is not Revision):
        increment()
