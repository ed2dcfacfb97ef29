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

# The errors of the blocks inside the one that writes now; None while none does.
_errors = ContextVar[list[BaseException] | None]("calendar_errors", default=None)


@contextmanager
def writing() -> Iterator[None]:
    """Run a block as one transaction, while no other write to the calendar runs; may be nested.

    A nested block has no savepoint, which would take two queries more: its error is the outer
    block's too, even if that one catches it.
    """
    errors = _errors.get()
    if errors is not None:
        with _noted_in(errors):
            yield
        return
    with transaction.atomic():
        increment()
        token = _errors.set(errors := [])
        try:
            yield
        finally:
            _errors.reset(token)
        if errors:
            raise errors[0]


@contextmanager
def _noted_in(errors: list[BaseException]) -> Iterator[None]:
    try:
        yield
    except BaseException as e:
        errors.append(e)
        raise


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
    if _errors.get() is None and (sender is not Revision or kwargs.get("raw")):
        increment()
