"""Names that are equal except for their case."""

from collections.abc import Iterable
from typing import TypeVar, cast

from django.db.models import Model, Q, QuerySet, Value
from django.db.models.functions import Lower

M = TypeVar("M", bound=Model)


def key(name: str) -> str:
    """Return the form in which all spellings of a name are equal."""
    return name.strip().casefold()


def matching(
    queryset: QuerySet[M], names: Iterable[str], *, otherwise: Q | None = None
) -> QuerySet[M]:
    """Keep the rows whose name is one of names, ignoring case, or that match otherwise.

    SQLite folds only ASCII letters, so the usual spellings of each name are searched for as well.
    """
    spellings = {
        spelling
        for name in names
        for spelling in (name, name.lower(), name.upper(), name.title(), name.capitalize())
    }
    keys = [Lower(Value(spelling)) for spelling in sorted(spellings)]
    wanted = Q(name_key__in=keys) | (otherwise or Q())
    found = queryset.alias(name_key=Lower("name")).filter(wanted)
    return cast("QuerySet[M]", found)
