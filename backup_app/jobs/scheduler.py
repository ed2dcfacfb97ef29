"""Starts the backups that are due."""

import datetime as dt
import logging

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from ..engines import get_engine
from ..exceptions import BackupError, InvalidEngine
from ..lib import cron
from ..models import Client
from . import control

logger = logging.getLogger(__name__)


def start_due() -> int:
    """Start the backup of each client that is due; return how many.

    However many times were missed while no worker ran, one backup makes up for them. Of several
    workers only one starts it.
    """
    now = timezone.now()
    # Schedules have no seconds, so once a minute is enough for each client.
    undone = Q(scheduled=None) | Q(scheduled__lt=now.replace(second=0, microsecond=0))
    scheduled = ~Q(schedule="") | ~Q(fileset__schedule="")
    clients = Client.objects.present().filter(undone, scheduled)
    due: list[Client] = []
    done: list[Client] = []
    for client in clients.select_related("fileset", "zone"):
        is_ours = _is_due(client, now) and not _is_left_to_engine(client)
        (due if is_ours else done).append(client)
    _note_done(done, now)
    return sum(_start(client, now) for client in due)


def forget_unscheduled() -> None:
    """Reset clients without a schedule, so that one set later starts from then."""
    clients = Client.objects.filter(schedule="", fileset__schedule="").exclude(scheduled=None)
    if pks := list(clients.values_list("pk", flat=True)):
        Client.objects.filter(pk__in=pks).update(scheduled=None)


def _is_due(client: Client, now: dt.datetime) -> bool:
    try:
        since = client.scheduled
        return since is not None and cron.next_time(client.effective_schedule, since) <= now
    except ValueError as e:
        logger.warning("Client %s is not backed up on schedule: %s", client.pk, e)
        return False


def _is_left_to_engine(client: Client) -> bool:
    try:
        return get_engine(client.zone.engine).starts_scheduled(client)
    except (BackupError, InvalidEngine):
        return False  # starting the backup will log the error


def _note_done(clients: list[Client], now: dt.datetime) -> None:
    # Another worker may have recorded a later time already.
    behind = Q(scheduled=None) | Q(scheduled__lt=now)
    Client.objects.filter(behind, pk__in=[client.pk for client in clients]).update(scheduled=now)


@transaction.atomic
def _start(client: Client, now: dt.datetime) -> bool:
    # The condition on the time that was read lets only one worker through.
    mine = Client.objects.filter(pk=client.pk, scheduled=client.scheduled).update(scheduled=now)
    if not mine:
        return False
    try:
        control.start_backup(client, by="schedule")
    except (BackupError, InvalidEngine) as e:
        logger.warning("The scheduled backup of client %s did not start: %s", client.pk, e)
        return False
    return True
