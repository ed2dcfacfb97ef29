"""The versions of files over all backups of a client."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from ....lib import paths
from ....models import Client, Entry, Folder, Job, JobSource
from ....models.job import GOOD
from ...history import History
from ...shared.versions import history_of
from .view import as_file

Place = tuple[int, bytes]  # folder ID, name
SAME = "kind size mtime_ns sha256 target mode owner group".split()


def history(client: Client, path: bytes) -> History:
    """See ``Engine.history``."""
    path = paths.normal(path)
    above, name = paths.split(path)
    folder = Folder.objects.filter(client=client, path_hash=paths.digest(above)).first()
    if folder is None:
        return History(path)
    return next(histories(client, {path: (folder.pk, name)}))


def histories(client: Client, places: Mapping[bytes, Place]) -> Iterator[History]:
    """Yield the history of each of these paths, in their order, with the same few queries."""
    entries: dict[Place, dict[int, Entry]] = defaultdict(dict)
    wanted = set(places.values())
    for entry in Entry.objects.filter(
        folder__in={folder for folder, _ in wanted}, name__in={name for _, name in wanted}
    ):
        place = entry.folder_id, bytes(entry.name)
        if place in wanted:
            entries[place][entry.job_id] = entry
    jobs, users = _backups(client, {pk for found in entries.values() for pk in found})
    for path, place in places.items():
        yield _history(path, entries[place], jobs, users)


def _backups(client: Client, sources: Iterable[int]) -> tuple[dict[int, Job], dict[int, set[int]]]:
    """Return a client's good backups, newest first, and which of them consist of each source."""
    rows = client.jobs.filter(type=Job.Type.BACKUP, status__in=GOOD).order_by("-pk")
    links = JobSource.objects.filter(source__in=list(sources), job__in=rows.values("pk"))
    users: dict[int, set[int]] = defaultdict(set)
    for job, source in links.order_by().values_list("job", "source"):
        users[source].add(job)
    return {job.pk: job for job in rows.defer("report", "request", "engine_state")}, users


def _history(
    path: bytes, entries: dict[int, Entry], jobs: dict[int, Job], users: dict[int, set[int]]
) -> History:
    counting: dict[int, Entry] = {}  # the entry that counts, by the backup that has it
    for source in sorted(entries):
        for job in users.get(source, ()):
            counting[job] = entries[source]
    there = {pk: entry for pk, entry in counting.items() if entry.kind != Entry.Kind.GONE}
    folder = paths.split(path)[0]
    return history_of(
        path,
        list(jobs.values()),
        there,
        as_file=lambda entry: as_file(entry, folder),
        is_same=_is_same,
    )


def _is_same(one: Entry, other: Entry) -> bool:
    return all(getattr(one, name) == getattr(other, name) for name in SAME)
