"""What the views of many backups consist of, in few queries however many there are."""

from collections import defaultdict
from collections.abc import Mapping
from typing import TypeVar

from ....models.job import JobQuerySet, JobSource
from ..catalog import queries
from ..names import Bacula

Said = TypeVar("Said")


class Chains:
    """The JobIds that the views of backups consist of, newest first, by their primary keys."""

    def __init__(self, engine: Bacula, backups: JobQuerySet) -> None:
        self.engine, self.catalog = engine, engine.reader()
        links = JobSource.objects.filter(job__in=backups.order_by().values("pk")).order_by()
        pairs = list(links.values_list("job", "source__engine_job_id"))
        rows = self.catalog.rows(queries.CHAIN, {"jobs": list({n for _, n in pairs if n})})
        ages = {job_id: age for age, (job_id, *_) in enumerate(reversed(rows))}
        self.jobs = list(ages)
        self.uncached = [job_id for job_id, *_, is_cached in rows if not is_cached]
        unreadable = {job_id for job_id, _, purged, has_base, _ in rows if purged or has_base}
        self._incomplete: set[int] = set()
        self.of: dict[int, list[int]] = defaultdict(list)
        for pk, number in pairs:
            if number is not None and number in ages:
                self.of[pk].append(number)
            if number not in ages or number in unreadable:
                self._incomplete.add(pk)
        for chain in self.of.values():
            chain.sort(key=ages.__getitem__)

    def is_readable(self, pk: int) -> bool:
        """Return whether the catalog has all files of a backup."""
        return pk in self.of and pk not in self._incomplete

    def newest(self, pk: int, said: Mapping[int, Said]) -> Said | None:
        """Return the value of the newest job of a backup that has one, else None."""
        return next((said[job_id] for job_id in self.of[pk] if job_id in said), None)
