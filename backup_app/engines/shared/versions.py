"""The versions of a path, from what the backups of a client have there."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from ...models import Job
from ..history import History, Version
from ..values import File

Entry = TypeVar("Entry")


def history_of(
    path: bytes,
    jobs: Sequence[Job],
    there: Mapping[int, Entry],
    *,
    as_file: Callable[[Entry], File],
    is_same: Callable[[Entry, Entry], bool],
) -> History:
    """Return the history of a path; ``there`` is what those of the jobs that have it have there.

    The jobs are all good backups of a client, newest first.
    """
    containing = [job for job in jobs if job.pk in there]
    groups: list[list[Job]] = []
    for job in containing:
        if groups and is_same(there[groups[-1][-1].pk], there[job.pk]):
            groups[-1].append(job)
        else:
            groups.append([job])
    versions = [
        Version(
            file=as_file(there[group[0].pk]),
            newest=group[0],
            oldest=group[-1],
            backups=len(group),
        )
        for group in groups
    ]
    return History(path, versions, _gone_since(containing, jobs))


def _gone_since(containing: Sequence[Job], jobs: Sequence[Job]) -> Job | None:
    """Return the first later backup of the same fileset as the last one that contains it."""
    if not containing:
        return None
    last = containing[0]
    newer = jobs[: jobs.index(last)]
    later = [job for job in newer if job.fileset_id == last.fileset_id]
    return later[-1] if later else None
