"""The IDs of one page of a list, found the quicker way."""

from contextlib import suppress

from django.db import connections

from ...lib.time_limit import TooSlow, time_limit
from . import search
from .parameters import LinkedParameter

# Seconds on SQLite, in which the one way and then the other must find the page.
SORTING = 0.015
WALKING = 0.05


def read(filterset, queryset, start, end):
    """Return the IDs from start to end of queryset, the list that filterset describes.

    Only IDs: they come from an index, so that a deep page reads no rows before its own.

    SQLite finds the events of a category by its links, and sorts them. That is quick unless the
    category has very many; then it is quicker to walk the list in its order, and to look for the
    link of each event, until the page is full. Which of the two is better depends on where in the
    list its events are, so both are tried. PostgreSQL has statistics to choose by.
    """
    connection = connections[queryset.db]
    with search.limited(filterset):
        if connection.vendor == "sqlite" and _has_links(filterset):
            with suppress(TooSlow), time_limit(connection, SORTING):
                return _ids(queryset, start, end)
            with suppress(TooSlow), time_limit(connection, WALKING):
                return _ids(filterset.walking(), start, end)
        return _ids(queryset, start, end)


def _has_links(filterset):
    found = filterset.filters
    return "search" not in found and any(isinstance(f, LinkedParameter) for f in found.values())


def _ids(queryset, start, end):
    return list(queryset.values_list("pk", flat=True)[start:end])
