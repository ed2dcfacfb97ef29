"""Scheduled backups that a Director starts itself, even while this service is down."""

from typing import Any

from ....exceptions import EngineUnreachable
from ....models import Client
from .. import names
from ..names import Bacula
from . import config_dir, provisioning, resources, schedule_resource

TOLD = ("pk", "schedule", "fileset__schedule", "deleted", "priority", "bandwidth_limit")
_told: dict[str, list[Any]] = {}  # the schedules that the Director has, by the engine's alias


def starts(engine: Bacula, client: Client) -> bool:
    """Return whether the Director starts a client's backups, having loaded the schedule."""
    lines = schedule_resource.lines_of(engine, client)
    if not lines:
        return False
    text = resources.schedule(names.for_client(engine, "schedule", client), lines)
    return config_dir.contains(engine, names.for_client(engine, "client", client), text)


def keep(engine: Bacula) -> None:
    """Tell the Director the schedules of all clients if one has changed since it was told.

    Raises EngineError once for what it does not accept: until that changes, this service starts
    the backups of clients whose schedule the Director has not loaded.
    """
    if engine.config_dir is None or not (engine.schedules or _has_schedules(engine)):
        return
    clients = Client.objects.filter(zone__engine=engine.alias).order_by("pk")
    wanted = list(clients.values_list(*TOLD))
    if _told.get(engine.alias) == wanted:
        return
    try:
        provisioning.prepare_all(engine)
    except EngineUnreachable:
        wanted = []
        raise
    finally:
        _told[engine.alias] = wanted


def _has_schedules(engine: Bacula) -> bool:
    start = names.for_client(engine, "client", Client(pk=""))
    return any("Schedule {" in text for text in config_dir.read(engine, start).values())
