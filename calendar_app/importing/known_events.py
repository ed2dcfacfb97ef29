"""The stored events of an import, looked up for many of its records at once."""

import re
from collections.abc import Iterable

from django.db.models import Q, QuerySet
from django.db.models.functions import Left, Length

from ..models import Event

BATCH = 50
RECURRENCE_ID = re.compile(r"\d{8}(T\d{6}Z?)?")
ENDINGS = [len(f"/{each}") for each in ("20270301", "20270301T190000", "20270301T190000Z")]
# What only an event that is written needs, and the import reads anew then.
UNREAD = ["description", "excerpt", "custom_fields", "global_id_lineage"]


class KnownEvents:
    """The events imported for these UIDs and their occurrences; ask for UIDs in this order."""

    def __init__(self, uids: Iterable[str]):
        self._waiting = list(uids)
        self._found: dict[str, dict[str, Event]] = {}

    def of(self, uid: str) -> dict[str, Event]:
        """Return the events of a UID by source ID, in the order of their dates."""
        while uid not in self._found:
            batch, self._waiting = self._waiting[:BATCH], self._waiting[BATCH:]
            self._found = _by_uid(batch)
        return self._found[uid]


def by_source_ids(ids: Iterable[str]) -> QuerySet:
    """Return the events with these source IDs."""
    return Event.objects.filter(source_id__in=ids).defer(*UNREAD)


def uids(source_id: str) -> set[str]:
    """Return the UIDs that an event of this source ID may have: a date of a series has two."""
    uid, _, recurrence_id = source_id.rpartition("/")
    return {source_id, uid} if RECURRENCE_ID.fullmatch(recurrence_id) else {source_id}


def _by_uid(batch: list[str]) -> dict[str, dict[str, Event]]:
    # All in one pass over the IDs: no index of them serves each of the databases.
    beginnings = {f"without_{n}": Left("source_id", Length("source_id") - n) for n in ENDINGS}
    wanted = Q(source_id__in=batch)
    for name in beginnings:
        wanted |= Q(**{f"{name}__in": batch})
    found: dict[str, dict[str, Event]] = {uid: {} for uid in batch}
    events = Event.objects.alias(**beginnings).filter(wanted).defer(*UNREAD)
    for event in events.order_by("start_utc", "id"):
        for uid in uids(event.source_id) & found.keys():
            found[uid][event.source_id] = event
    return found
