"""The first row of a table: the names of columns, which are the API's, or those of the forms."""

from functools import cache

from django.utils.text import Truncator

SHOWN = 300  # characters of the names that are not known


def named(header):
    """Return the name of a column, which people write like a title."""
    return "_".join(header.lower().split())


def understood(headers, serializer):
    """Return the names of columns, those that are called as in a form by the name in the API."""
    labels = _labels(serializer)
    found = [labels.get(header, header) for header in headers]
    return found if len({*found}) == len(found) else headers


def unknown(headers, serializer):
    """Return a sentence that names the columns which are left out; nothing if there are none."""
    names = {*headers} - {"id", *serializer().fields}
    if not names:
        return ""
    listed = Truncator(", ".join(sorted(map(str, names)))).chars(SHOWN)
    return f"These columns have no known name, and are left out: {listed}."


@cache
def _labels(serializer):
    fields, found = serializer().fields, {}
    for name, field in fields.items():
        if not field.write_only:
            source = serializer.model._meta.get_field(field.source)
            found.setdefault(named(str(source.verbose_name)), name)
            if source.many_to_many:
                found.setdefault(named(str(source.related_model._meta.verbose_name)), name)
    return {label: name for label, name in found.items() if label not in fields}
