"""All that Bacula's catalog tells of the jobs of clients, which may be those of years."""

from collections.abc import Iterator

from django.db import IntegrityError, transaction

from ....exceptions import EngineError
from ..catalog import job_history
from ..catalog.chains import Chains, Link
from ..catalog.records import JobRow
from . import jobs
from .jobs import RUNNING, STATUSES, TYPES, Known
from .pruned_jobs import Pruned
from .report import Tally

ALL_STATUSES = STATUSES.keys() | RUNNING
ATTEMPTS = 5  # to store a batch, of which another process may have stored some


def adopt_history(known: Known, tally: Tally, *, dry_run: bool = False) -> Iterator[JobRow]:
    """Make jobs of the ended backups and restores of known clients; yield each looked at.

    Those that are here already stay as they are, but for files that Bacula has purged since; those
    that it has pruned go. May be ended at any time and done again. Raises EngineUnreachable and
    EngineError.
    """
    adopter = _Adopter(known, tally, dry_run)
    pruned = Pruned(known, tally, dry_run=dry_run)
    for rows in job_history.batches(known.engine.reader(), known.clients):
        adopter.adopt(rows)
        pruned.look_at(rows)
        yield from rows
    pruned.look_at_rest()


class _Adopter:
    def __init__(self, known, tally, dry_run):
        self._known, self._tally, self._dry_run = known, tally, dry_run
        self._engine = known.engine
        self._chains = Chains()

    def adopt(self, rows: list[JobRow]) -> None:
        wanted = [row for row in rows if self._is_wanted(row)]
        chains = {row.job_id: self._chains.add(row) for row in wanted}
        for _ in range(ATTEMPTS):
            try:
                with transaction.atomic():
                    new, corrected = self._store(wanted, chains)
            except IntegrityError:
                continue
            self._tally.jobs["adopted"] += len(new)
            self._tally.jobs["corrected"] += len(corrected)
            for row in new:
                self._note_lacks(row, self._known.job(row))
            return
        raise EngineError(f"Jobs from {rows[0].job_id} on were changed by others again and again.")

    def _store(
        self, rows: list[JobRow], chains: dict[int, list[Link]]
    ) -> tuple[list[JobRow], list[int]]:
        """Store what is new and mend what is wrong; return the former, the latter's numbers."""
        if not rows:
            return [], []
        there = jobs.known_between(self._engine, rows[0].job_id, rows[-1].job_id)
        new = [row for row in rows if row.job_id not in there and self._is_foreign(row)]
        if self._dry_run:
            return new, []
        there |= jobs.insert(self._engine, [self._known.job(row) for row in new])
        for row in rows:
            for link in chains[row.job_id][-1:]:
                link.pk = there.get(row.job_id)
        corrected = jobs.corrected(self._engine, rows)
        numbers = [row.job_id for row in new] + corrected
        jobs.link(
            {there[number]: [link.pk for link in chains[number] if link.pk] for number in numbers}
        )
        return new, corrected

    def _is_wanted(self, row):
        """Say whether a job is of a kind that this service has, and has ended."""
        if row.type not in TYPES:
            self._remark(row, f"have the type {row.type} and were left out")
        elif row.status not in ALL_STATUSES:
            self._remark(row, f"have the unknown status '{row.status}' and were left out")
        return row.type in TYPES and row.status in STATUSES

    def _is_foreign(self, row):
        return not row.comment.startswith(self._engine.prefix)

    def _note_lacks(self, row, job):
        if row.type != "B":
            return
        if job.fileset is None:
            self._remark(row, f"are of the fileset '{row.fileset}', which is not here")
        if job.pool is None:
            self._remark(row, f"are in the pool '{row.pool}', which is not here")
        if job.level is None:
            self._remark(row, f"have the level '{row.level}', which this service has not")

    def _remark(self, row, what):
        self._tally.remark_on_job(f"{{jobs}} of client '{row.client}' {what}.")
