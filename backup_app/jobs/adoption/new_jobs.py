"""Adopts jobs that others start in an engine, as they appear."""

from collections.abc import Iterable, Iterator

from django.db import IntegrityError, transaction
from django.db.models import Max

from ...engines.adoption import FoundJob
from ...engines.base import Engine
from ...models import Client, Job
from ...services.files import mailboxes
from . import records
from .records import Known

LOOK_BACK = 1000  # newest jobs, of which some may still wait for another job of their client
AT_ONCE = 100  # jobs per request to an engine


def missing(known: Known) -> Iterator[FoundJob]:
    """Yield the jobs that others started and that are not here yet, oldest first."""
    numbers = _missing_numbers(known) if known.clients else []
    for start in range(0, len(numbers), AT_ONCE):
        yield from known.engine.find_jobs(known.clients, numbers[start : start + AT_ONCE])


def adopt(known: Known, found: FoundJob) -> Iterator[tuple[int, FoundJob]]:
    """Store a job, and before it those that it builds on; yield each with its primary key.

    Stores nothing that the rules for its client do not allow now.
    """
    if not _may_appear(known.clients[found.client], found):
        return
    there = records.known_ids(known.engine, found.sources[:-1]) if found.sources else {}
    unknown = [number for number in found.sources[:-1] if number not in there]
    for each in known.engine.find_jobs(known.clients, unknown) if unknown else ():
        yield from adopt(known, each)
    try:
        pk = _store(known, found)
    except IntegrityError:
        return  # another worker was quicker, or has begun another job of the client
    yield pk, found


def adopt_these(engine: Engine, numbers: Iterable[int]) -> None:
    """Create jobs for those with these numbers in an engine, however old they are.

    Only of known clients, and as far as the rules for them allow it.
    """
    known = Known(engine, Client.objects.present().filter(zone__engine=engine.alias))
    for found in engine.find_jobs(known.clients, numbers):
        for pk, each in adopt(known, found):
            if each.has_ended:
                mailboxes.try_record(Job.objects.get(pk=pk))


def _missing_numbers(known: Known) -> list[int]:
    jobs = Job.objects.filter(engine=known.engine.alias).order_by()
    newest = jobs.aggregate(newest=Max("engine_job_id"))["newest"] or 0
    after = newest - LOOK_BACK
    found = known.engine.foreign_jobs(known.clients, after)
    there = jobs.filter(engine_job_id__gt=after).values_list("engine_job_id", flat=True)
    return sorted({*found} - {*there}) if found else []


def _may_appear(client: Client, found: FoundJob) -> bool:
    """Return whether our rules for a client's jobs allow this one now: only one may be open."""
    if found.has_ended:
        return True
    return bool(found.status) and not client.jobs.open().exists()


@transaction.atomic
def _store(known: Known, found: FoundJob) -> int:
    pk = records.insert(known.engine, [known.job(found)])[found.number]
    there = records.known_ids(known.engine, found.sources)
    records.link({pk: [there[number] for number in found.sources if number in there]})
    return pk
