"""Schedules: cron expressions of five fields, in the server's zone."""

import datetime as dt
import logging

from cronsim import CronSim, CronSimError
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from ..engines import get_engine
from ..exceptions import BackupError, InvalidEngine
from ..models import Client
from . import control

FIELDS = 5
logger = logging.getLogger(__name__)


def validate(expression: str) -> None:
    """Raise ValidationError for what is no cron expression of five fields, or never comes."""
    try:
        next_time(expression, timezone.now())
    except ValueError as e:
        raise ValidationError(str(e)) from e


def next_time(expression: str, after: dt.datetime) -> dt.datetime:
    """Return when an expression comes next after a time; raises ValueError with a sentence.

    A time that the clock skips in spring comes right after, one that it shows twice in autumn
    comes once.
    """
    if len(expression.split()) != FIELDS:
        raise ValueError(f"'{expression}' is no schedule: it needs {FIELDS} fields, as 30 2 * * *.")
    local = after.astimezone(timezone.get_default_timezone())
    try:
        # In the hour that the clock shows twice, what came the first time is offered again.
        times = (time.astimezone(dt.UTC) for time in CronSim(expression, local))
        return next(time for time in times if time > after)
    except CronSimError as e:
        raise ValueError(f"'{expression}' is no schedule: {str(e).lower()}.") from e
    except StopIteration as e:
        raise ValueError(f"The schedule '{expression}' never comes.") from e


def of_client(client: Client) -> str:
    """Return a client's own schedule, or else its fileset's; "" when it has none."""
    return client.schedule or client.fileset.schedule


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
        return bool(client.scheduled) and next_time(of_client(client), client.scheduled) <= now
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
