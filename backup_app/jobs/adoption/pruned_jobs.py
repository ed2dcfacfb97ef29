"""Removes jobs that an engine has pruned, and marks those whose files it has purged."""

from collections.abc import Collection, Iterable, Sequence

from django.db.models import Q, QuerySet

from ...engines.adoption import FoundJob
from ...models import Job, JobSource
from ...models.job import GOOD, OPEN
from ...services.adoption import Report
from .records import Known

BATCH = 1000
SAMPLE = 1000  # jobs of which the right catalog has one at least


class PrunedJobs:
    """Compares the jobs of clients with what an engine has, which is given by ascending number.

    What the engine has pruned is removed: adopted jobs, and our own backups. What a backup that
    still exists builds on stays until that is removed, and counts as purged.
    """

    def __init__(self, known: Known, report: Report, *, dry_run: bool = False):
        self._engine, self._report, self._dry_run = known.engine, report, dry_run
        depends_on_engine = Q(engine_state__adopted=True) | Q(type="backup", status__in=GOOD)
        ours = Job.objects.filter(depends_on_engine, engine=self._engine.alias)
        clients = [client.pk for client in known.clients.values()]
        self._jobs = ours.filter(client__in=clients).exclude(status__in=OPEN)
        self._after = 0
        self._gone: set[int] = set()  # by the engine's numbers
        self._needed: set[int] = set()  # of those, by primary key
        self._is_right = self._is_right_catalog(ours)

    def compare(self, batch: Sequence[FoundJob]) -> None:
        """Compare all jobs up to the last of a batch with the batch."""
        self._note_purged([found.number for found in batch if found.is_purged])
        last = batch[-1].number
        self._compare({found.number for found in batch}, Q(engine_job_id__lte=last))
        self._after = last

    def finish(self) -> None:
        """Compare those that come after all of the engine's; remove what is gone."""
        self._compare(set(), Q())
        # What builds on others is removed before them.
        newest_first = sorted(self._gone, reverse=True)
        for start in range(0, len(newest_first), BATCH):
            self._remove(newest_first[start : start + BATCH])

    def _compare(self, there: set[int], up_to: Q) -> None:
        while batch := self._next(up_to):
            self._after = batch[-1]
            gone = [number for number in batch if number not in there]
            # A job started while the engine was being read is not in its list.
            if gone and self._is_right:
                there_now = self._engine.existing_jobs(gone)
                self._gone.update(number for number in gone if number not in there_now)

    def _next(self, up_to: Q) -> list[int]:
        later = self._jobs.filter(up_to, engine_job_id__gt=self._after).order_by("engine_job_id")
        numbers = later.values_list("engine_job_id", flat=True)[:BATCH]
        return [number for number in numbers if number is not None]

    def _is_right_catalog(self, ours: QuerySet[Job]) -> bool:
        """Return whether the engine has any of the newest jobs that are here.

        One whose settings lead to another installation would have all of them removed.
        """
        newest = ours.order_by("-engine_job_id").values_list("engine_job_id", flat=True)[:SAMPLE]
        numbers = [number for number in newest if number is not None]
        if not numbers or self._engine.existing_jobs(numbers):
            return True
        self._report.problems.append(
            f"The catalog '{self._engine.database}' has none of the newest {len(numbers)} jobs "
            "known here, so it may belong to another installation: nothing was removed."
        )
        return False

    def _note_purged(self, numbers: Iterable[int | None]) -> None:
        jobs = self._jobs.filter(engine_job_id__in=numbers).only("engine_state")
        for job in [job for job in jobs if not job.engine_state.get("purged")]:
            self._report.jobs["purged"] += 1
            if not self._dry_run:
                job.engine_state["purged"] = True
                job.save(update_fields=["engine_state"])

    def _remove(self, numbers: list[int]) -> None:
        """Remove jobs that are gone, newer ones first, but for those that are needed."""
        gone = dict(self._jobs.filter(engine_job_id__in=numbers).values_list("pk", "engine_job_id"))
        needed = self._find_needed(gone)
        self._note_purged(gone[pk] for pk in needed)
        self._report.jobs["removed"] += len(gone) - len(needed)
        if not self._dry_run:
            Job.objects.filter(pk__in=gone.keys() - needed).delete()

    def _find_needed(self, gone: Collection[int]) -> set[int]:
        """Return those on which others build, and those that are being read or downloaded."""
        read = Job.objects.being_read().filter(pk__in=gone)
        self._needed.update(read.values_list("pk", flat=True))
        links = JobSource.objects.filter(source__in=gone, job__status__in=[*GOOD, *OPEN])
        found = links.values_list("source_id", "job_id", "job__engine_job_id").order_by()
        self._needed.update(
            source
            for source, job, number in found.iterator()
            if job in self._needed or number not in self._gone
        )
        return self._needed & {*gone}
