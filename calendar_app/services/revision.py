"""The calendar's revision: one counter that every write moves on.

Readers key what they cache by it. Writers begin with it: the row's lock lets one writer at a time
through, so that a slug or a name found free is still free when it is used.
"""

from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from ..lib.compiled_queries import Compiled
from ..models import Revision

_inside = ContextVar("calendar_writing", default=False)


@contextmanager
def writing():
    """Run a block as one transaction that no other calendar write runs beside."""
    with transaction.atomic():
        if _inside.get():
            yield
            return
        bump()
        token = _inside.set(True)
        try:
            yield
        finally:
            _inside.reset(token)


def bump():
    if not _move_on():
        # Of those that make the row together one does; the others wait, and lock it as any writer.
        Revision.objects.get_or_create(pk=1)
        _move_on()


def _move_on():
    found = Revision.objects.filter(pk=1)
    return found.update(stamp=F("stamp") + 1, changed_at=timezone.now())


def current():
    """Return the Revision to read before the data that is cached by it."""
    found = _row()([1])
    return found[0] if found else Revision(pk=1)


@cache
def _row():
    return Compiled(Revision.objects.filter(pk=1))


def bump_on_change(sender, **kwargs):
    """Follow a change made without a verb (a shell, a fixture): a signal receiver."""
    # A fixture may hold the revision itself, of an earlier time.
    if not _inside.get() and (sender is not Revision or kwargs.get("raw")):
        bump()
