"""Which backups of a client have a path in their view: few queries, however many there are."""

from ....exceptions import EngineUnreachable
from ....lib.paths import ROOT, normal, split
from ....models.job import JobQuerySet
from ..catalog import paths, queries
from ..names import Bacula
from .chains import Chains
from .view import update_cache

MAX_PREPARED = 50  # in one request


def jobs_with_path(engine: Bacula, jobs: JobQuerySet, path: bytes) -> JobQuerySet:
    """Return those of a queryset of one client's jobs that are backups which contain a path."""
    path = normal(path)
    backups = jobs.good().backups().filter(engine_job_id__isnull=False)
    if path == ROOT:
        return backups
    chains = Presence(engine, backups)
    folder, name = split(path)
    found = set().union(
        *(chains.with_folder(stored) for stored in paths.stored(path)),
        *(chains.with_file(stored, name) for stored in paths.stored(folder)),
    )
    return backups.filter(pk__in=found)


class Presence(Chains):
    """Tells which backups have a path."""

    def with_file(self, stored: bytes, name: bytes) -> set[int]:
        """Return the backups that have a file."""
        said = self._said(stored, name)
        return {pk for pk in self.of if self.newest(pk, said)}

    def with_folder(self, stored: bytes) -> set[int]:
        """Return the backups that have a folder, which itself may not have been backed up."""
        said = self._said(stored, b"")
        found = {pk: self.newest(pk, said) for pk in self.of}
        unknown = [pk for pk, is_there in found.items() if is_there is None]
        visible = self._visible(stored) if unknown else set()
        found |= {pk: not visible.isdisjoint(self.of[pk]) for pk in unknown}
        return {pk for pk, is_there in found.items() if is_there}

    def _said(self, stored: bytes, name: bytes) -> dict[int, bool]:
        """Return by JobId whether something exists, for the jobs that have a row on it."""
        place = {"folder": stored, "name": name, "jobs": self.jobs}
        return dict(self.catalog.rows(queries.said, place))

    def _visible(self, stored: bytes) -> set[int]:
        self._prepare()
        rows = self.catalog.rows(queries.VISIBLE_IN, {"folder": stored, "jobs": self.jobs})
        return {job_id for (job_id,) in rows}

    def _prepare(self) -> None:
        """Have the Director prepare the folders of jobs that it has not, newest first.

        Raises EngineUnreachable where these are more than a request can wait for: each one
        prepares some, and years of adopted jobs may never have been browsed.
        """
        left, now = self.uncached[:-MAX_PREPARED], self.uncached[-MAX_PREPARED:]
        update_cache(self.engine, now)
        if left:
            raise EngineUnreachable(
                f"{len(left)} of Bacula's jobs are not yet prepared for browsing; {len(now)} have "
                "just been prepared. Ask again, or limit the request to a range of time."
            )
        self.uncached = []
