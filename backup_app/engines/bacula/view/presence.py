"""Which backups of a client have a path in their view: few queries, however many there are."""

from collections import defaultdict

from ....exceptions import EngineUnreachable
from ....lib.paths import ROOT, normal, split
from ....models.job import JobQuerySet, JobSource
from ..catalog import paths, queries
from ..names import Bacula
from .view import update_cache

MAX_PREPARED = 50  # in one request


def jobs_with_path(engine: Bacula, jobs: JobQuerySet, path: bytes) -> JobQuerySet:
    """Return those of a queryset of one client's jobs that are backups which contain a path."""
    path = normal(path)
    backups = jobs.good().backups().filter(engine_job_id__isnull=False)
    if path == ROOT:
        return backups
    chains = Chains(engine, backups)
    folder, name = split(path)
    found = set().union(
        *(chains.with_folder(stored) for stored in paths.stored(path)),
        *(chains.with_file(stored, name) for stored in paths.stored(folder)),
    )
    return backups.filter(pk__in=found)


class Chains:
    """The JobIds that the views of backups consist of, newest first, by their primary keys."""

    def __init__(self, engine: Bacula, backups: JobQuerySet) -> None:
        self._engine, self._catalog = engine, engine.reader()
        links = JobSource.objects.filter(job__in=backups.order_by().values("pk")).order_by()
        numbers = links.exclude(source__engine_job_id=None).values_list(
            "source__engine_job_id", flat=True
        )
        rows = self._catalog.rows(queries.CHAIN, {"jobs": list(numbers.distinct())})
        ages = {job_id: age for age, (job_id, *_) in enumerate(reversed(rows))}
        self._jobs = list(ages)
        self._uncached = [job_id for job_id, *_, is_cached in rows if not is_cached]
        self._chains: dict[int, list[int]] = defaultdict(list)
        for pk, number in links.values_list("job", "source__engine_job_id"):
            if number is not None and number in ages:
                self._chains[pk].append(number)
        for chain in self._chains.values():
            chain.sort(key=ages.__getitem__)

    def with_file(self, stored: bytes, name: bytes) -> set[int]:
        """Return the backups that have a file."""
        said = self._said(stored, name)
        return {pk for pk, chain in self._chains.items() if _newest(said, chain)}

    def with_folder(self, stored: bytes) -> set[int]:
        """Return the backups that have a folder, which itself may not have been backed up."""
        said = self._said(stored, b"")
        found = {pk: _newest(said, chain) for pk, chain in self._chains.items()}
        unknown = [pk for pk, is_there in found.items() if is_there is None]
        visible = self._visible(stored) if unknown else set()
        found |= {pk: not visible.isdisjoint(self._chains[pk]) for pk in unknown}
        return {pk for pk, is_there in found.items() if is_there}

    def _said(self, stored: bytes, name: bytes) -> dict[int, bool]:
        """Return by JobId whether something exists, for the jobs that have a row on it."""
        place = {"folder": stored, "name": name, "jobs": self._jobs}
        return dict(self._catalog.rows(queries.said, place))

    def _visible(self, stored: bytes) -> set[int]:
        self._prepare()
        rows = self._catalog.rows(queries.VISIBLE_IN, {"folder": stored, "jobs": self._jobs})
        return {job_id for (job_id,) in rows}

    def _prepare(self) -> None:
        """Have the Director prepare the folders of jobs that it has not, newest first.

        Raises EngineUnreachable where these are more than a request can wait for: each one
        prepares some, and years of adopted jobs may never have been browsed.
        """
        left, now = self._uncached[:-MAX_PREPARED], self._uncached[-MAX_PREPARED:]
        update_cache(self._engine, now)
        if left:
            raise EngineUnreachable(
                f"{len(left)} of Bacula's jobs are not yet prepared for browsing; {len(now)} have "
                "just been prepared. Ask again, or limit the request to a range of time."
            )
        self._uncached = []


def _newest(said: dict[int, bool], chain: list[int]) -> bool | None:
    """Return the value of the newest job of a chain that has one, else None."""
    return next((said[job_id] for job_id in chain if job_id in said), None)
