"""Names that are equal but for their case."""

from django.db.models import Value
from django.db.models.functions import Lower


def key(name):
    """Return what all spellings of a name have in common."""
    return name.strip().casefold()


def named(queryset, names):
    """Keep the rows whose name is one of names, in any case.

    A database may know the case of ASCII letters only (SQLite does), so the usual spellings of each
    name are asked for as well.
    """
    spellings = {
        spelling
        for name in names
        for spelling in (name, name.lower(), name.upper(), name.title(), name.capitalize())
    }
    return queryset.alias(name_key=Lower("name")).filter(
        name_key__in=[Lower(Value(spelling)) for spelling in sorted(spellings)]
    )
