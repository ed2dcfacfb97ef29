"""How many records a list has.

A total is kept until the next write, by the SQL of its list, which contains the dates and what the
caller may see. Among many records counting can take seconds: what takes longer than LIMIT is
counted in the background. Until that is done a list has the last known total, or an estimate.
"""

import json
import threading
import time
from hashlib import blake2b
from typing import NamedTuple

from django.core.cache import cache
from django.core.exceptions import EmptyResultSet
from django.db import connections

from ..lib.time_limit import TooSlow, time_limit

LIMIT = 0.03  # seconds of database time in a request
KEPT_SECONDS = 3600
PAUSE = 10  # times as long as the last count took, until the same list is counted again

_is_counting = threading.Lock()


class Total(NamedTuple):
    number: int
    is_exact: bool = True


def exact(queryset, revision):
    """Return the number of rows in queryset at this revision, however long it takes."""
    queryset = queryset.order_by()
    key = _key(queryset)
    return cache.get_or_set(_at(key, revision), queryset.count, KEPT_SECONDS) if key else 0


def quick(queryset, revision):
    """Return the Total of queryset at this revision within LIMIT; it may not be exact."""
    queryset = queryset.order_by()
    key = _key(queryset)
    if key is None:
        return Total(0)
    number = cache.get(_at(key, revision))
    if number is not None:
        return Total(number)
    number = cache.get(key)  # only of lists that take long to count
    if number is None:
        try:
            return Total(_counted(queryset, key, revision))
        except TooSlow:
            number = _estimate(queryset)
            cache.set(key, number, KEPT_SECONDS)
    _count_in_background(queryset, key, revision)
    return Total(number, is_exact=False)


def _key(queryset):
    """Return the cache key of the list, or None if it is certainly empty."""
    try:
        sql = queryset.values("pk").query.sql_with_params()
    except EmptyResultSet:
        return None
    return f"calendar:total:{blake2b(repr(sql).encode(), digest_size=16).hexdigest()}"


def _at(key, revision):
    # Loading a fixture may reset the stamp, but not the time.
    return f"{key}:{revision.stamp}:{revision.changed_at.timestamp()}"


def _counted(queryset, key, revision):
    with time_limit(connections[queryset.db], LIMIT):
        number = queryset.count()
    cache.set(_at(key, revision), number, KEPT_SECONDS)
    return number


def _estimate(queryset):
    """Return the number of rows that PostgreSQL's planner expects; 0 on other databases."""
    if connections[queryset.db].vendor != "postgresql":
        return 0
    [found] = json.loads(queryset.values("pk").explain(format="json"))
    return found["Plan"]["Plan Rows"]


def _count_in_background(queryset, key, revision):
    """Count in a thread, unless this process counts already or any process has just done so."""
    if _is_counting.acquire(blocking=False):
        if cache.add(f"{key}:pause", True, KEPT_SECONDS):
            # The database of this request, which the thread would not know.
            args = queryset.using(queryset.db), key, revision
            threading.Thread(target=_count, args=args, daemon=True).start()
        else:
            _is_counting.release()


def _count(queryset, key, revision):
    started = time.monotonic()
    try:
        number = queryset.count()
        cache.set(_at(key, revision), number, KEPT_SECONDS)
        cache.set(key, number, KEPT_SECONDS)
    finally:
        connections[queryset.db].close()
        cache.set(f"{key}:pause", True, 1 + PAUSE * (time.monotonic() - started))
        _is_counting.release()
