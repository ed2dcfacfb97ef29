"""What a backup holds: its own entries and those of the backups that it builds on.

And searches: all backups of a client for a path, and what one stored for names.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import product
from typing import Any, cast

from django.db.models import (
    Case,
    Count,
    Exists,
    F,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Value,
    When,
)
from django.db.models.functions import Length, Substr

from ....exceptions import NotFound, WrongState
from ....lib import paths
from ....lib.bulk import BATCH
from ....lib.paths import shown
from ....models import Entry, Folder, Job
from ....models.fields import BytesField
from ....models.job import GOOD
from ...values import File, Listing, Node

DIRECTORY = Entry.Kind.DIRECTORY
SECOND = 10**9  # in nanoseconds


class View:
    """The content of a good backup, as a full restore gives it.

    Of each place (folder and name) the entry of the newest source counts, unless it says that the
    place is empty now. Raises WrongState for any other job.
    """

    def __init__(self, job: Job):
        if not job.is_good or job.type != job.Type.BACKUP:
            raise WrongState(f"Job {job.pk} is {job.status}: it is not a backup that can be read.")
        self.job = job

    @cached_property
    def sources(self) -> list[int]:
        """IDs of the jobs whose entries count, oldest first."""
        return sorted(self.job.source_links.values_list("source_id", flat=True))

    def of_source(self, source: int) -> QuerySet[Entry]:
        """Return the entries of the view that one of its sources found, in no order."""
        return self._newest(Entry.objects.filter(job=source))

    def pages(self, source: int, *fields: str) -> Iterator[list[tuple[Any, ...]]]:
        """Yield values of all that one source adds to the view, in the order of its volume.

        In lists, between which no query is open: SQLite cannot write during one. The ends of the
        lists are queried first; otherwise PostgreSQL would sort the whole source for each.
        """
        rows = Entry.objects.filter(job=source)
        last = 0
        while end := rows.filter(pk__gt=last).order_by("pk")[:BATCH].aggregate(pk=Max("pk"))["pk"]:
            found = self._newest(rows.filter(pk__gt=last, pk__lte=end)).order_by("pk")
            yield list(found.values_list(*fields))
            last = end

    def at(self, **places: Any) -> QuerySet[Entry]:
        """Return the entries of the view in these places, such as ``folder=…``, in no order."""
        return self._newest(self._rows().filter(**places))

    def content(self, folder: Folder) -> QuerySet[Entry]:
        """Return the entries directly in a folder."""
        # The root is an entry of itself.
        return self.at(folder=folder).exclude(name=b"")

    def folder(self, path: bytes) -> Folder:
        """Return the folder with a path; raises NotFound unless the view has it."""
        path = paths.normal(path)
        found = self._directory(node__path_hash=paths.digest(path))
        if found is None:
            raise NotFound(f"Backup {self.job.pk} has no folder '{shown(path)}'.")
        return found

    def node(self, node_id: int) -> Folder:
        """Return the folder with an ID; raises NotFound unless the view has it."""
        found = self._directory(node=node_id) if is_id(node_id) else None
        if found is None:
            raise NotFound(f"Backup {self.job.pk} has no folder with ID {node_id}.")
        return found

    def listing(self, path: bytes, offset: int = 0, limit: int | None = None) -> Listing:
        """Return a page of one level: folders first, then by the bytes of the names."""
        folder = self.folder(path)
        content = self.content(folder)
        by_kind = Case(When(kind=DIRECTORY, then=Value(0)), default=Value(1))
        end = None if limit is None else offset + limit
        page = [
            as_file(entry, folder.path) for entry in content.order_by(by_kind, "name")[offset:end]
        ]
        # A page that is not full is the last one, unless it is beyond that.
        is_last = limit is None or len(page) < limit
        total = offset + len(page) if is_last and (page or not offset) else content.count()
        return Listing(folder.pk, folder.path, page, total)

    def subfolders(self, folder: Folder) -> Sequence[Node]:
        """Return the folders directly in a folder, by name, with what lies directly in them."""
        found = list(self.content(folder).filter(kind=DIRECTORY).order_by("name"))
        counts = self._counts(folder)
        return [
            as_node(entry, folder.path, counts.get(entry.node_id, (0, 0, 0))) for entry in found
        ]

    def misplaced(self) -> QuerySet[Folder]:
        """Return folders with content at whose path the view has another kind of entry."""
        place = self.at(folder=OuterRef("parent"), name=OuterRef("name"))
        of_client = Folder.objects.filter(client=self.job.client_id)
        found = of_client.filter(
            Exists(place.exclude(kind=DIRECTORY)), Exists(self.at(folder=OuterRef("pk")))
        )
        return found.order_by("path")

    def _rows(self) -> QuerySet[Entry]:
        # No index applies to a sum, so no query plan reads whole jobs to find one place.
        return Entry.objects.alias(source=F("job_id") + 0).filter(source__in=self.sources)

    def _newest(self, rows: QuerySet[Entry]) -> QuerySet[Entry]:
        if len(self.sources) > 1:
            # A scalar subquery, since PostgreSQL turns Exists into a join, which with outdated
            # statistics takes time in the square of the folder's size.
            here = self._rows().filter(folder=OuterRef("folder"), name=OuterRef("name"))
            rows = rows.filter(job=Subquery(here.order_by("-job_id").values("job_id")[:1]))
        return rows.exclude(kind=Entry.Kind.GONE).order_by()

    def _directory(self, **node: Any) -> Folder | None:
        found = self.at(node__client=self.job.client_id, kind=DIRECTORY, **node)
        return next((entry.node for entry in found.select_related("node")[:1]), None)

    def _counts(self, parent: Folder) -> dict[int | None, tuple[int, int, int]]:
        """Return (files, folders, bytes) directly in each subfolder that is not empty."""
        folder = Q(kind=DIRECTORY)
        rows = (
            self.at(folder__in=Folder.objects.filter(parent=parent))
            .values("folder")
            .annotate(
                files=Count("pk", filter=~folder),
                folders=Count("pk", filter=folder),
                bytes=Sum("size", filter=~folder),
            )
        )
        found = rows.values_list("folder", "files", "folders", "bytes")
        return {folder: (files, folders, size or 0) for folder, files, folders, size in found}


def as_file(entry: Entry, folder: bytes) -> File:
    """Return an entry as a value of the engine; ``folder`` is the path of the folder it is in."""
    return File(
        file_id=entry.pk,
        node_id=entry.node_id,
        parent_node_id=entry.folder_id,
        name=entry.name,
        path=paths.join(folder, entry.name),
        type=Entry.Kind(entry.kind).label,
        size=entry.size,
        mtime=entry.mtime_ns // SECOND,
        mode=entry.mode,
        owner=entry.owner,
        group=entry.group,
        target=entry.target,
        sha256=entry.sha256,
    )


def as_node(entry: Entry, folder: bytes, counts: tuple[int, int, int]) -> Node:
    """Return a folder as a value of the engine, from its entry and (files, folders, bytes)."""
    files, folders, size = counts
    return Node(
        node_id=cast(int, entry.node_id),  # every entry of a folder has one
        name=entry.name,
        path=paths.join(folder, entry.name),
        size=size,
        files=files,
        mtime=entry.mtime_ns // SECOND,
        has_children=folders > 0,
    )


def is_id(value: int) -> bool:
    """Return whether the database may have an ID: a larger one is an error in a query."""
    return 0 < value < 2**63


def jobs_with_path(jobs: QuerySet[Job], path: bytes) -> QuerySet[Job]:
    """See ``Engine.jobs_with_path``."""
    path = paths.normal(path)
    folder, name = paths.split(path)
    newest = (
        Entry.objects.filter(
            folder__in=Folder.objects.filter(
                client=OuterRef(OuterRef("client")), path_hash=paths.digest(folder)
            ),
            name=name,
            job__lte=OuterRef("pk"),
            job__dependent_links__job=OuterRef("pk"),
        )
        .order_by("-job_id")
        .values("kind")[:1]
    )
    present = [kind for kind in Entry.Kind.values if kind != Entry.Kind.GONE]
    backups = jobs.filter(type=Job.Type.BACKUP, status__in=GOOD)
    return backups.alias(there=Subquery(newest)).filter(there__in=present)


def files_ending(job: Job, endings: Sequence[bytes]) -> Iterator[File]:
    """See ``Engine.files_ending``. The database compares the names, so few leave it."""
    tails = {f"last_{len(ending)}": _tail(len(ending)) for ending in endings}
    matches = Q()
    for ending in endings:
        matches |= Q(**{f"last_{len(ending)}__in": _spellings(ending)})
    entries = Entry.objects.filter(job=job, kind=Entry.Kind.FILE).alias(**tails).filter(matches)
    for entry in entries.annotate(parent=F("folder__path")).iterator():
        yield as_file(entry, bytes(entry.parent))


def _tail(length: int) -> Substr:
    return Substr("name", Length("name") - (length - 1), output_field=BytesField())


def _spellings(ending: bytes) -> list[bytes]:
    letters = [{letter.lower(), letter.upper()} for letter in ending.decode()]
    return ["".join(letters).encode() for letters in product(*letters)]
