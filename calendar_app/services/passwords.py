"""The passwords of events, slowed for whoever guesses, in the database that all processes share."""

import math
from datetime import timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.module_loading import import_string

from ..conf import conf
from ..exceptions import TooManyPasswords
from ..lib.public_addresses import network_of
from ..models import WrongPassword

WINDOW = timedelta(minutes=5)
MOST_OF_EVENT, MOST = 10, 30  # wrong passwords from one address
SWEEP = 100  # old rows that go whenever one is added


def opens(event, password: str | None, request) -> bool:
    """Say whether password is the event's.

    Raises TooManyPasswords after too many wrong ones from the address that the request comes from.
    """
    if not password:
        return False
    network = _network(request)
    _require_few(event, network)
    is_right = event.check_password(password)
    if not is_right:
        WrongPassword.objects.create(event_id=event.pk, network=network)
        _sweep()
    # Others may have been quicker to use up the limit: then a right one is not told from a wrong.
    _require_few(event, network, spare=0 if is_right else 1)
    return is_right


def _network(request):
    """Return where a request comes from, as the project's ``CLIENT_ADDRESS`` says."""
    if conf.CLIENT_ADDRESS:
        return network_of(import_string(conf.CLIENT_ADDRESS)(request))
    return network_of(request.META.get("REMOTE_ADDR", ""))


def _require_few(event, network, spare=0):
    since = timezone.now() - WINDOW
    rows = WrongPassword.objects.filter(network=network, time__gt=since).order_by("-time")
    found = list(rows.values_list("event_id", "time"))
    of_event = [time for event_id, time in found if event_id == event.pk]
    for times, most in ((of_event, MOST_OF_EVENT), ([time for _, time in found], MOST)):
        if len(times) >= most + spare:
            left = times[most - 1] + WINDOW - timezone.now()
            raise TooManyPasswords(max(1, math.ceil(left.total_seconds())))


@transaction.atomic
def _sweep():
    # Two processes that sweep at once do not wait for each other's rows.
    old = WrongPassword.objects.filter(time__lt=timezone.now() - WINDOW)
    old = old.select_for_update(skip_locked=True).values_list("pk", flat=True)[:SWEEP]
    WrongPassword.objects.filter(pk__in=list(old)).delete()
