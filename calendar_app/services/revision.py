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
from typing import Any

from django.db import transaction
from django.db.models import F, Model, Subquery
from django.utils import timezone

from ..lib.compiled_queries import CompiledQuery
from ..models import Change, Revision

KEPT_CHANGES = 1000  # a process that has slept through more forgets all that it has rendered


@dataclass
class Write:
    """The errors of the blocks of a write, and the records that they changed: None for any."""

    errors: list[BaseException] = field(default_factory=list)
    touched: set[tuple[str, int]] | None = field(default_factory=set)


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
        increment()
        token = _write.set(write := Write())
        try:
            with _part_of(write, precise):
                yield
        finally:
            _write.reset(token)
        if write.errors:
            raise write.errors[0]
        if write.touched is not None:
            _log(write.touched)


@contextmanager
def _part_of(write: Write, precise: bool) -> Iterator[None]:
    if not precise:
        write.touched = None
    try:
        yield
    except BaseException as e:
        write.errors.append(e)
        raise


def touch(model: type[Model], ids: Iterable[int]) -> None:
    """Note that the write that is going on changes the representations of these records."""
    write = _write.get()
    if write and write.touched is not None:
        write.touched |= {(str(model._meta.model_name), pk) for pk in ids}


def _log(touched: set[tuple[str, int]]) -> None:
    stamp = Subquery(Revision.objects.filter(pk=1).values("stamp"))
    change = Change.objects.create(stamp=stamp, records=sorted(touched))
    if change.pk % KEPT_CHANGES == 0:
        Change.objects.filter(pk__lte=change.pk - KEPT_CHANGES).delete()


def changes_since(known: Revision, now: Revision) -> list[tuple[str, int]] | None:
    """Return the records whose representations changed between two revisions; None for any."""
    if now.stamp <= known.stamp:
        return None  # a fixture has reset it
    logged = Change.objects.filter(stamp__gt=known.stamp, stamp__lte=now.stamp)
    rows = list(logged.values_list("records", flat=True))
    if len(rows) != now.stamp - known.stamp:
        return None
    return [(kind, pk) for records in rows for kind, pk in records]


def increment() -> None:
    """Increment the revision, which locks its row until the transaction ends."""
    if not _update():
        # The very first write. Of several at once, one creates the row and the others wait.
        Revision.objects.get_or_create(pk=1)
        _update()


def _update() -> int:
    found = Revision.objects.filter(pk=1)
    return found.update(stamp=F("stamp") + 1, changed_at=timezone.now())


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
        Change.objects.all().delete()
    if _write.get() is None and (raw or sender is not Revision):
        increment()
