"""What a record was at a version, and giving it that again by the rules of the API.

A version is the ID of the change that made it; 0 is what the record was before all that are kept.
"""

from collections import defaultdict
from dataclasses import dataclass, field

from rest_framework.exceptions import ValidationError

from ... import permissions
from ...api.errors import as_calendar_error
from ...api.representations import Urls
from ...api.serializers import (
    CategorySerializer,
    EventSerializer,
    OrganizerSerializer,
    TagSerializer,
    VenueSerializer,
)
from ...api.serializers.fields import HtmlField, SlugField
from ...exceptions import CalendarError, RecordNotFound, Stale
from ...models import Category, Change, Event, Organizer, Tag, Venue
from ...services import history, revision
from .names import MODELS, Names

TIMES = {"start_date": "start_utc", "end_date": "end_utc"}
CLOCK = {"timezone", "all_day", *TIMES, *TIMES.values()}
KEPT = {"password"}  # there is nothing to restore it from


class VenueVersion(VenueSerializer):
    slug = SlugField(required=False, max_length=200)
    excerpt = HtmlField(required=False)


class OrganizerVersion(OrganizerSerializer):
    slug = SlugField(required=False, max_length=200)
    excerpt = HtmlField(required=False)


SERIALIZERS = {
    Event: EventSerializer,
    Venue: VenueVersion,
    Organizer: OrganizerVersion,
    Category: CategorySerializer,
    Tag: TagSerializer,
}


class Undone(Exception):
    """Undoes what was only tried."""


@dataclass
class Restoring:
    """What restoring a version does: what it changes, what it leaves out, and why it cannot be."""

    newest: int
    change: Change | None = None
    remarks: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def changes_of(record):
    """Return the changes of record that are kept."""
    return Change.objects.filter(kind=record._meta.model_name, record_id=record.pk)


def changes_shown(record):
    """Return the changes of record, and of the rule by which it repeats now."""
    series = Change.objects.filter(kind="series", record_id=getattr(record, "series_id", None))
    return changes_of(record) | series


def restore(record, version, user, *, seen=None):
    """Give record what it had at a version; return what that changes, or its errors.

    ``seen`` is the newest version that the user has seen: without it, this only tries, and stores
    nothing; nor does it if there are errors. Raises Stale if record has a newer version by now, and
    RecordNotFound if it has no such version.
    """
    done = Restoring(0)
    try:
        with revision.writing(precise=True):
            _try(record, version, user, done, seen)
    except Undone:
        pass
    except (RecordNotFound, Stale):
        raise
    except (CalendarError, ValidationError) as e:
        error = as_calendar_error(e)
        params = error.data.get("params")
        done.errors = [*params.values()] if isinstance(params, dict) else [error.message]
    return done


def _try(record, version, user, done, seen):
    newest = changes_of(record).order_by("-id").values_list("id", flat=True).first()
    done.newest = newest or 0
    if seen not in {None, done.newest}:
        raise Stale("Somebody else has changed this record meanwhile: look at it again.")
    _store(record, version, user, done)
    done.change = revision.change_of(record)
    if seen is None:
        raise Undone


def _store(record, version, user, done):
    model = type(record)
    stored = model.objects.get(pk=record.pk)
    data = _data(stored, version, user, done)
    if not data:
        return
    context = {
        "request": _Request(user),
        "urls": Urls("http://localhost"),
        "texts_are_plain": True,
    }
    serializer = SERIALIZERS[model](stored, data=data, partial=True, context=context)
    serializer.is_valid(raise_exception=True)
    serializer.save()


def _data(record, version, user, done):
    """Return what record has to be given, as for a request to the API, to be as at a version."""
    now = history.state(record)
    wanted = state_at(record, version)
    different = {name for name in wanted if wanted[name] != now.get(name)}
    names = {field.source: name for name, field in SERIALIZERS[type(record)]().fields.items()}
    data = {}
    for name in sorted(different - CLOCK):
        value = _reachable(record, name, wanted[name], user, done)
        if value is not None:
            data[names[name.removesuffix("_id")]] = value
    if different & CLOCK:
        data |= {name: (now | wanted)[name] for name in ("timezone", "all_day")}
        data |= {name: (now | wanted)[utc] for name, utc in TIMES.items()}
    return data


@dataclass
class _Request:
    user: object


def state_at(record, version):
    """Return what is known of record at a version. Raises RecordNotFound."""
    now, until, later, lost = history.state(record), {}, {}, defaultdict(list)
    is_known = version == 0
    rows = changes_of(record).exclude(verb=Change.Verb.DELETED).order_by("id")
    for pk, verb, values in rows.values_list("id", "verb", "values").iterator():
        is_known = is_known or pk == version
        for name, (before, after) in values.items():
            if verb == Change.Verb.UNLINKED and isinstance(before, list):
                if pk > version and name not in later:
                    lost[name] += before
                elif pk <= version and name in until:
                    until[name] = [each for each in until[name] if each not in before]
            elif pk <= version:
                until[name] = after
            else:
                later.setdefault(name, before)
    if not is_known:
        raise RecordNotFound("version", version)
    before = {name: later.get(name, now[name]) + ids for name, ids in lost.items()}
    found = later | before | until
    own = KEPT | ({"parent_id"} if getattr(record, "series_id", None) else set())
    return {name: value for name, value in found.items() if name not in own}


def _reachable(record, name, value, user, done):
    """Return value in the form of a request, without what is gone; None if nothing is left."""
    if name == "author_id" and not permissions.may_edit_others(user, type(record)):
        done.remarks.append("The author stays: only editors may choose another.")
        return None
    if name not in MODELS:
        return value
    ids = value if isinstance(value, list) else [value] if value else []
    names = Names(user, {name: ids}, type(record))
    label = history.label(type(record), name)
    lost = [pk for pk in ids if not names.is_usable(name, pk)]
    done.remarks += [f"{label}: {names.text(name, pk)} is left out." for pk in lost]
    if isinstance(value, list):
        return [pk for pk in value if pk not in lost]
    return None if lost else value or 0
