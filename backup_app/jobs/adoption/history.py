"""Adopts all jobs of clients that an engine has, which may be years of history."""

from collections.abc import Iterator, Sequence

from django.db import IntegrityError, transaction

from ...engines.adoption import FoundJob
from ...exceptions import EngineError
from ...models import Job
from ...services.adoption import Report
from . import records
from .pruned_jobs import PrunedJobs
from .records import Known

ATTEMPTS = 5  # to store a batch, of which another process may have stored some


def adopt_history(known: Known, report: Report, *, dry_run: bool = False) -> Iterator[FoundJob]:
    """Create jobs for the ended backups and restores of known clients; yield each looked at.

    Those that are here already stay as they are, but for files that the engine has purged since;
    those that it has pruned are removed. May be interrupted at any time and repeated. Raises
    EngineUnreachable and EngineError.
    """
    adopter = _Adopter(known, report, dry_run)
    pruned = PrunedJobs(known, report, dry_run=dry_run)
    for batch in known.engine.job_history(known.clients):
        adopter.adopt(batch)
        pruned.compare(batch)
        yield from batch
    pruned.finish()


class _Adopter:
    def __init__(self, known: Known, report: Report, dry_run: bool):
        self._known, self._report, self._dry_run = known, report, dry_run
        self._engine = known.engine
        self._pks: dict[int, int] = {}  # of the good backups so far, by the engine's numbers

    def adopt(self, batch: Sequence[FoundJob]) -> None:
        jobs = [found for found in batch if self._is_adoptable(found)]
        for _ in range(ATTEMPTS):
            try:
                with transaction.atomic():
                    new, corrected = self._store(jobs)
            except IntegrityError:
                continue
            self._report.jobs["adopted"] += len(new)
            self._report.jobs["corrected"] += len(corrected)
            for found in new:
                self._note_lacks(found, self._known.job(found))
            return
        raise EngineError(
            f"Jobs from {batch[0].number} on were changed repeatedly by other processes."
        )

    def _store(self, jobs: Sequence[FoundJob]) -> tuple[list[FoundJob], list[int]]:
        """Store new jobs and correct wrong ones; return those, and the numbers of these."""
        if not jobs:
            return [], []
        there = records.known_between(self._engine, jobs[0].number, jobs[-1].number)
        new = [each for each in jobs if each.number not in there and not each.was_started_here]
        if self._dry_run:
            return new, []
        there |= records.insert(self._engine, [self._known.job(found) for found in new])
        backups = {each.number: each for each in jobs if each.sources}
        self._pks |= {number: there[number] for number in backups if number in there}
        corrected = records.correct(self._engine, jobs)
        records.correct_times(self._engine, jobs)
        stored = backups.keys() & {*(found.number for found in new), *corrected}
        records.link({self._pks[each]: self._sources(backups[each]) for each in sorted(stored)})
        return new, corrected

    def _sources(self, backup: FoundJob) -> list[int]:
        return [self._pks[number] for number in backup.sources if number in self._pks]

    def _is_adoptable(self, found: FoundJob) -> bool:
        if found.unsupported:
            self._report.remark_on_job(found.client, found.unsupported)
        return found.has_ended and not found.unsupported

    def _note_lacks(self, found: FoundJob, job: Job) -> None:
        if job.type != Job.Type.BACKUP:
            return
        if job.fileset is None:
            self._report.remark_on_job(
                found.client, f"fileset '{found.fileset}' does not exist here"
            )
        if job.pool is None:
            self._report.remark_on_job(found.client, f"pool '{found.pool}' does not exist here")
        if found.remark:
            self._report.remark_on_job(found.client, found.remark)
