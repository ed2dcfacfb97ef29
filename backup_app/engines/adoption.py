"""The contract's part for engines that other programs use as well, with defaults for all others."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from ..models import Client, Fileset, Job, Pool, Storage
from .found import Found, FoundJob, FoundLine


class AdoptionMixin:
    """Reports what an installation had before this service and what others start in it."""

    def name_of(self, record: Client | Fileset | Pool | Storage) -> str:
        """Return what the engine calls a record."""
        return record.engine_name or record.name

    def inventory(self, clients: Collection[str] = ()) -> Iterator[Found]:
        """Yield what the engine had before this service, for ``jobs.adoption`` to record.

        ``clients`` are names in the engine; none are all. What others refer to comes first.
        """
        return iter(())

    def job_history(self, clients: Mapping[str, Client]) -> Iterator[Sequence[FoundJob]]:
        """Yield all jobs of clients, given by ``name_of``, in batches by ascending number."""
        return iter(())

    def foreign_jobs(self, clients: Mapping[str, Client], after: int) -> list[int]:
        """Return the numbers above one of jobs of these clients that others started.

        Called every few seconds, so it need not look at more than the newest.
        """
        return []

    def find_jobs(
        self, clients: Mapping[str, Client], numbers: Iterable[int]
    ) -> Iterator[FoundJob]:
        """Yield those of some jobs that are of these clients and can be adopted, oldest first."""
        return iter(())

    def existing_jobs(self, numbers: Collection[int]) -> set[int]:
        """Return those of these numbers whose jobs the engine still has."""
        return set(numbers)

    def count_jobs(self) -> Sequence[tuple[str, int]]:
        """Return how many jobs each client has, by the engine's names."""
        return []

    def job_log(self, job: Job) -> Sequence[FoundLine]:
        """Return the log of a job that ended before it was known here; raises EngineError."""
        return []
