"""The passwords of events, with a limit on wrong ones.

Wrong passwords are counted in the database, which all processes share; a cache may be local to one.
"""

import math
from datetime import timedelta

from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone
from django.utils.module_loading import import_string

from ..conf import conf
from ..exceptions import TooManyPasswords
from ..lib.public_addresses import network_of
from ..models import Event, WrongPassword

WINDOW = timedelta(minutes=5)
# Wrong passwords from one address within the window: for one event, and for all together.
MAX_FOR_EVENT, MAX_FOR_ALL = 10, 30
SWEEP = 100  # expired rows that are deleted whenever one is added


def opens(event: Event, password: str | None, request: HttpRequest) -> bool:
    """Return whether password is the event's.

    Raises TooManyPasswords after too many wrong ones from the address of the request.
    """
    if not password:
        return False
    network = _network(request)
    _require_few(event, network)
    is_right = event.check_password(password)
    if not is_right:
        WrongPassword.objects.create(event_id=event.pk, network=network)
        _sweep()
    # Concurrent requests pass the first check together, so it is repeated. It applies to the right
    # password too, else the only guess of many without an error would be known to be right.
    _require_few(event, network, extra=0 if is_right else 1)
    return is_right


def _network(request: HttpRequest) -> str:
    """Return the address or network that a request comes from (setting ``CLIENT_ADDRESS``)."""
    if conf.CLIENT_ADDRESS:
        address: str = import_string(conf.CLIENT_ADDRESS)(request)
        return network_of(address)
    return network_of(request.META.get("REMOTE_ADDR", ""))


def _require_few(event: Event, network: str, extra: int = 0) -> None:
    since = timezone.now() - WINDOW
    rows = WrongPassword.objects.filter(network=network, time__gt=since).order_by("-time")
    found = list(rows.values_list("event_id", "time"))
    for_event = [time for event_id, time in found if event_id == event.pk]
    for_all = [time for _, time in found]
    for times, limit in ((for_event, MAX_FOR_EVENT), (for_all, MAX_FOR_ALL)):
        if len(times) >= limit + extra:
            left = times[limit - 1] + WINDOW - timezone.now()
            raise TooManyPasswords(max(1, math.ceil(left.total_seconds())))


@transaction.atomic
def _sweep() -> None:
    # Concurrent sweeps skip each other's rows instead of waiting for them.
    old = WrongPassword.objects.filter(time__lt=timezone.now() - WINDOW)
    ids = old.select_for_update(skip_locked=True).values_list("pk", flat=True)[:SWEEP]
    WrongPassword.objects.filter(pk__in=list(ids)).delete()
