"""Findings of what lasts: clients that are overdue, storages that are low or missing."""

from collections.abc import Iterator

from ..conf import conf
from ..lib.formatting import size
from ..models import AlertState, Client, Storage
from ..models.alert import AlertEvent
from ..services import storages
from ..services.reports import protection, storage_space
from . import rules
from .findings import Finding, about_client, link

SECONDS = 20  # that storages may take to answer; the metrics' two would alarm for a slow disk
MARGIN = 2  # percentage points above the limit, from which a storage is no longer low


def look() -> None:
    """Tell of clients and storages whose state has changed."""
    _forget_deleted()
    active = rules.active()
    wanted = {event for rule in active for event in rule.events}
    if AlertEvent.CLIENT_OVERDUE in wanted:
        for finding in _of_clients():
            rules.tell(finding, active)
    if wanted & {AlertEvent.STORAGE_LOW, AlertEvent.STORAGE_MISSING}:
        for finding in _of_storages():
            rules.tell(finding, active)


def _forget_deleted() -> None:
    """Forget the problems of deleted clients, of which nobody needs to hear again."""
    AlertState.objects.exclude(client__deleted=None).exclude(client=None).delete()


def _of_clients() -> Iterator[Finding]:
    clients = Client.objects.present().select_related("account", "fileset")
    for each in protection.of_clients(clients):
        yield _finding_of_client(each)


def _finding_of_client(each: protection.Protection) -> Finding:
    client, last = each.client, each.last
    ended = last and last.ended
    if each.is_overdue:
        since = f"since {ended:%Y-%m-%d %H:%M} UTC" if ended else "at all yet"
        title = f"Client '{client}' is overdue: it has had no good backup {since}."
    else:
        title = f"Client '{client}' is not overdue any more."
    return Finding(
        subject=f"protection of client {client.pk}",
        event=AlertEvent.CLIENT_OVERDUE if each.is_overdue else "",
        title=title,
        data={
            **about_client(client),
            "last_good_backup": ended and ended.isoformat(),
            "schedule": client.effective_schedule,
            **link("client", client.pk),
        },
        client=client,
    )


def _of_storages() -> Iterator[Finding]:
    found = list(Storage.objects.select_related("zone"))
    used = storages.used_bytes(found)
    for reader in storage_space.readers(found, used, seconds=SECONDS, faults=True):
        if finding := _finding_of_storage(reader):
            yield finding


def _finding_of_storage(reader: storage_space.SpaceReader) -> Finding | None:
    """Return None while nobody can say, or the space left is about at the limit."""
    fault = f"It did not answer within {SECONDS} seconds." if reader.is_alive() else reader.fault
    if fault is None or not (said := _said_of(reader, fault)):
        return None
    event, title = said
    storage = reader.storage
    about = {"id": storage.pk, "name": storage.name, "zone": storage.zone.name}
    space = {name: reader.space.get(name) for name in ("capacity", "free")}
    return Finding(
        subject=f"storage {storage.pk}",
        event=event,
        title=title,
        text=fault,
        data={"storage": about | space, **link("storage", storage.pk)},
        storage=storage,
    )


def _said_of(reader: storage_space.SpaceReader, fault: str) -> tuple[str, str] | None:
    """Return the event of a storage, "" where all is well, and a sentence; None about the limit."""
    name, capacity, free = reader.storage, reader.space.get("capacity"), reader.space.get("free")
    if fault:
        return AlertEvent.STORAGE_MISSING, f"Storage '{name}' cannot be used."
    if not capacity or free is None:
        return "", f"Storage '{name}' is there and has space: unknown."
    percent, space = free * 100 / capacity, f"{size(free)} of {size(capacity)}"
    if percent < conf.STORAGE_LOW_PERCENT:
        title = f"Storage '{name}' has {percent:.0f} % of its space left: {space}."
        return AlertEvent.STORAGE_LOW, title
    if percent < conf.STORAGE_LOW_PERCENT + MARGIN:
        return None
    return "", f"Storage '{name}' is there and has space: {space}."
