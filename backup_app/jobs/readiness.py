"""Faults that prevent workers from running jobs: each worker records its own, for health checks."""

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
MAX_LENGTH = Fault._meta.get_field("message").max_length


def faults() -> list[str]:
    """Return a sentence for each fault that prevents workers from running jobs, with its host."""
    fresh = Fault.objects.filter(seen__gte=timezone.now() - FRESH)
    found = fresh.values_list("worker", "message")
    return list(dict.fromkeys(f"On {host_of(worker)}: {message}" for worker, message in found))


def note_faults() -> None:
    """Replace the recorded faults of this worker, and delete those of dead workers."""
    worker = this_worker("upkeep")
    found = [Fault(worker=worker, message=message[:MAX_LENGTH]) for message in _faults_here()]
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
