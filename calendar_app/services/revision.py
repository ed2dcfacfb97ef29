"""The calendar's revision: one counter that every write increments.

Readers use it as the key of what they cache, so that no cached response outlives a change. Writers
increment it first: the lock on its row lets in one writer at a time, so that a slug or a name that
was found free is still free when it is used, on SQLite as on PostgreSQL.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any

from django.db import transaction
from django.db.models import F, Model
from django.utils import timezone

from ..lib.compiled_queries import CompiledQuery
from ..models import Revision

_is_writing = ContextVar("calendar_writing", default=False)


@contextmanager
def writing() -> Iterator[None]:
    """Run a block as one transaction, while no other write to the calendar runs; may be nested."""
    with transaction.atomic():
        if _is_writing.get():
            yield
            return
        increment()
        token = _is_writing.set(True)
        try:
            yield
        finally:
            _is_writing.reset(token)


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


def increment_on_change(sender: type[Model], **kwargs: Any) -> None:
    """Signal receiver: increment the revision for a change outside ``writing``, as in a shell."""
    # A fixture ("raw") may contain the revision itself, as it was at some earlier time.
    if not _is_writing.get() and (sender is not Revision or kwargs.get("raw")):
        increment()
