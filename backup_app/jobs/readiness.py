"""What keeps workers from doing jobs: each worker records it, for health checks elsewhere."""

import datetime as dt
from collections.abc import Iterator

from django.db import transaction
from django.utils import timezone

from ..conf import conf
from ..engines import get_engine
from ..exceptions import InvalidEngine
from ..models import Fault
from .worker_id import host_of, is_gone, this_worker

FRESH = dt.timedelta(minutes=2)  # workers record their faults every few seconds
LONGEST = Fault._meta.get_field("message").max_length


def faults() -> list[str]:
    """Return in sentences what keeps the workers from doing jobs, each with its host."""
    fresh = Fault.objects.filter(seen__gte=timezone.now() - FRESH)
    found = fresh.values_list("worker", "message")
    return list(dict.fromkeys(f"On {host_of(worker)}: {message}" for worker, message in found))


def note_faults() -> None:
    """Record what keeps this worker from doing jobs now, and delete records of dead workers."""
    worker = this_worker("upkeep")
    found = [Fault(worker=worker, message=message[:LONGEST]) for message in _faults_here()]
    known = Fault.objects.order_by().values_list("worker", flat=True).distinct()
    old = [name for name in known if name == worker or is_gone(name)]
    if not (found or old):
        return
    with transaction.atomic():
        Fault.objects.filter(worker__in=old).delete()
        Fault.objects.bulk_create(found)


def _faults_here() -> Iterator[str]:
    for alias in conf.engines:
        try:
            yield from get_engine(alias).worker_faults()
        except InvalidEngine as e:
            yield str(e)
