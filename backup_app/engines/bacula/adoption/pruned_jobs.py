"""Jobs of which Bacula's catalog has less than it had, or nothing any more."""

import datetime as dt
from collections.abc import Iterable

from django.db.models import Q
from django.utils import timezone

from ....models import Job, JobSource
from ....models.job import GOOD, OPEN
from ..catalog import job_history
from ..catalog.records import JobRow
from .jobs import Known
from .report import Tally

SAMPLE = 1000  # jobs of which the right catalog has one at least
IN_USE = dt.timedelta(days=1)  # since a download of a backup began


class Pruned:
    """Compares the jobs of clients with the catalog, which is given in the order of its numbers.

    What Bacula has pruned goes here as well: adopted jobs, and our own backups. What a backup that
    is still there builds on stays until that goes, and counts as purged.
    """

    def __init__(self, known: Known, tally: Tally, *, dry_run: bool = False):
        self._engine, self._tally, self._dry_run = known.engine, tally, dry_run
        kept_by_bacula = Q(engine_state__adopted=True) | Q(type="backup", status__in=GOOD)
        ours = Job.objects.filter(kept_by_bacula, engine=self._engine.alias)
        clients = [client.pk for client in known.clients.values()]
        self._jobs = ours.filter(client__in=clients).exclude(status__in=OPEN)
        self._after = 0
        self._gone: set[int] = set()  # by Bacula's numbers
        self._kept: set[int] = set()  # of those, by ours
        self._is_right = self._is_right_catalog(ours)

    def look_at(self, rows: list[JobRow]) -> None:
        """Compare all jobs up to the last of these with these."""
        purged = [row.job_id for row in rows if row.is_purged]
        self._note_purged(purged)
        self._compare({row.job_id for row in rows}, Q(engine_job_id__lte=rows[-1].job_id))
        self._after = rows[-1].job_id

    def look_at_rest(self) -> None:
        """Compare those that come after all of the catalog's; remove what is gone."""
        self._compare(set(), Q())
        # What builds on others goes before them.
        newest_first = sorted(self._gone, reverse=True)
        for start in range(0, len(newest_first), job_history.BATCH):
            self._remove(newest_first[start : start + job_history.BATCH])

    def _compare(self, there: set[int], up_to: Q) -> None:
        while some := self._next(up_to):
            self._after = some[-1]
            gone = [number for number in some if number not in there]
            # One that has just been started was not there a moment ago.
            if gone and self._is_right:
                there_now = job_history.those_there(self._engine.reader(), gone)
                self._gone.update(number for number in gone if number not in there_now)

    def _next(self, up_to):
        later = self._jobs.filter(up_to, engine_job_id__gt=self._after).order_by("engine_job_id")
        return list(later.values_list("engine_job_id", flat=True)[: job_history.BATCH])

    def _is_right_catalog(self, ours) -> bool:
        """Say whether it has any of the newest jobs that are here."""
        newest = ours.order_by("-engine_job_id").values_list("engine_job_id", flat=True)[:SAMPLE]
        newest = [number for number in newest if number is not None]
        if not newest or job_history.those_there(self._engine.reader(), newest):
            return True
        self._tally.problems.append(
            f"The catalog '{self._engine.catalog_alias}' has none of the newest {len(newest)} jobs "
            "that are known here. Is it another one? What it has not was left here."
        )
        return False

    def _note_purged(self, numbers: Iterable[int]) -> None:
        jobs = self._jobs.filter(engine_job_id__in=numbers).only("engine_state")
        for job in [job for job in jobs if not job.engine_state.get("purged")]:
            self._tally.jobs["purged"] += 1
            if not self._dry_run:
                job.engine_state["purged"] = True
                job.save(update_fields=["engine_state"])

    def _remove(self, numbers: list[int]) -> None:
        """Remove jobs that are gone, newer ones first, but for those that are needed."""
        gone = dict(self._jobs.filter(engine_job_id__in=numbers).values_list("pk", "engine_job_id"))
        needed = self._needed(gone)
        self._note_purged(gone[pk] for pk in needed)
        self._tally.jobs["removed"] += len(gone) - len(needed)
        if not self._dry_run:
            Job.objects.filter(pk__in=gone.keys() - needed).delete()

    def _needed(self, gone: dict[int, int]) -> set[int]:
        """Return those on which others build, and those that are being read or downloaded."""
        read = Q(children__status__in=OPEN)
        read |= Q(download__created__gt=timezone.now() - IN_USE)
        self._kept.update(Job.objects.filter(read, pk__in=gone).values_list("pk", flat=True))
        links = JobSource.objects.filter(source__in=gone, job__status__in=[*GOOD, *OPEN])
        found = links.values_list("source_id", "job_id", "job__engine_job_id").order_by()
        self._kept.update(
            source
            for source, job, number in found.iterator()
            if job in self._kept or number not in self._gone
        )
        return self._kept & gone.keys()
