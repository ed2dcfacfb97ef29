"""Starting the backups whose schedule is due."""

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

    What was missed while nothing ran is made up by one backup. Of several workers one starts it.
    """
    now = timezone.now()
    # Nothing comes within a minute, so each client is looked at once in it.
    undone = Q(scheduled=None) | Q(scheduled__lt=now.replace(second=0, microsecond=0))
    scheduled = ~Q(schedule="") | ~Q(fileset__schedule="")
    clients = Client.objects.present().filter(undone, scheduled)
    due, done = [], []
    for client in clients.select_related("fileset", "zone"):
        is_for_us = _is_due(client, now) and not _is_left_to_engine(client)
        (due if is_for_us else done).append(client)
    _note_done(done, now)
    return sum(_start(client, now) for client in due)


def forget_unscheduled() -> None:
    """Let a schedule that is set later begin then."""
    clients = Client.objects.filter(schedule="", fileset__schedule="").exclude(scheduled=None)
    if pks := list(clients.values_list("pk", flat=True)):
        Client.objects.filter(pk__in=pks).update(scheduled=None)


def _is_due(client, now):
    try:
        return (
            bool(client.scheduled)
            and cron.next_time(client.effective_schedule, client.scheduled) <= now
        )
    except ValueError as e:
        logger.warning("Client %s is not backed up on schedule: %s", client.pk, e)
        return False


def _is_left_to_engine(client):
    try:
        return get_engine(client.zone.engine).starts_scheduled(client)
    except (BackupError, InvalidEngine):
        return False  # starting it says what is wrong


def _note_done(clients, now):
    # Another worker may be further on already.
    behind = Q(scheduled=None) | Q(scheduled__lt=now)
    Client.objects.filter(behind, pk__in=[client.pk for client in clients]).update(scheduled=now)


@transaction.atomic
def _start(client, now):
    mine = Client.objects.filter(pk=client.pk, scheduled=client.scheduled).update(scheduled=now)
    if not mine:
        return False
    try:
        control.start_backup(client, by="schedule")
    except (BackupError, InvalidEngine) as e:
        logger.warning("The scheduled backup of client %s did not start: %s", client.pk, e)
        return False
    return True
