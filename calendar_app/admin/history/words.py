"""Puts changes into words."""

import datetime as dt
from collections import defaultdict
from typing import NamedTuple

from django.template.defaultfilters import date as date_format
from django.utils import timezone
from django.utils.html import format_html
from django.utils.text import Truncator

from ...models import Change, Status
from ...services import history
from ...services.history import stored
from ..repeating.words import in_words
from .names import MODELS, Names
from .texts import difference

TEXTS = {"description", "excerpt"}
DERIVED = {"start_utc", "end_utc"}
PASSWORD = {"": "removed", "set": "set", "set anew": "changed"}
EMPTY = "empty"
LONGEST = 300  # characters of a value


class Line(NamedTuple):
    """A field of a change: its values before and after, or what was done to it."""

    label: str
    before: str = ""
    after: str = ""
    done: str = ""


class Words:
    """Words for the changes of records of ``model``, as ``user`` may read them."""

    def __init__(self, user, model, changes):
        self.model = model
        self.order = [*stored.FIELDS[model], *history.LINKS]
        wanted = defaultdict(set)
        for change in changes:
            for name, pair in change.values.items():
                if name in MODELS:
                    wanted[name] |= {pk for value in pair for pk in _listed(value)}
        self.names = Names(user, wanted, model)

    def lines(self, change):
        """Return the lines of a change; those of a new record only have what it was given."""
        in_order = sorted(change.values, key=self.order.index)
        if change.verb == Change.Verb.UNLINKED:
            return [self._lost(name, change.values[name][0]) for name in in_order]
        lines = [line for name in in_order for line in self._line(name, *change.values[name])]
        if change.verb == Change.Verb.CREATED:
            return [line._replace(before="") for line in lines if line.after != EMPTY]
        return lines

    def _lost(self, name, value):
        return Line(history.label(self.model, name), done=self._value(name, value))

    def _line(self, name, before, after):
        if name in DERIVED:
            return
        label = history.label(self.model, name)
        if name == "password":
            yield Line(label, done=PASSWORD[after])
        elif name == "custom_fields":
            before, after = before or {}, after or {}
            for key in dict.fromkeys([*before, *after]):
                old, new = before.get(key), after.get(key)
                if old != new:
                    yield Line(f"{label}, {key}", self._value("", old), self._value("", new))
        elif name in TEXTS and before and after:
            yield Line(label, done=difference(before, after))
        else:
            yield Line(label, self._value(name, before), self._value(name, after))

    def _value(self, name, value):
        if value in (None, "", []):
            return EMPTY
        if name in MODELS:
            return ", ".join(self.names.text(name, pk) for pk in _listed(value))
        if name in FORMATS:
            return FORMATS[name](value)
        if isinstance(value, bool):
            return "yes" if value else "no"
        return _short(f"{value}")


def moment(instant):
    """Return an instant in the site's time zone; a script shows it in that of the viewer."""
    try:
        local = timezone.localtime(instant)
    except (OverflowError, ValueError):  # near the years 1 and 9999
        local = instant
    shown = date_format(local, "j F Y, H:i")
    return format_html(
        '<time datetime="{}" data-local>{} {}</time>', instant.isoformat(), shown, local.tzname()
    )


def _local(text):
    return date_format(dt.datetime.fromisoformat(text), "l, j F Y, H:i")


def _short(text):
    return Truncator(text).chars(LONGEST)


def _listed(value):
    return value if isinstance(value, list) else [value] if value else []


FORMATS = {
    "rrule": in_words,
    "status": lambda value: str(dict(Status.choices).get(value, value)),
    "date_utc": lambda value: moment(dt.datetime.fromisoformat(value)),
    **dict.fromkeys(("start", "start_date", "end_date"), _local),
    **dict.fromkeys(("rdates", "exdates"), lambda days: _short(", ".join(map(_local, days)))),
    **dict.fromkeys(TEXTS, lambda value: difference("", value)),
}
