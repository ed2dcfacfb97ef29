"""What a backup holds: its own entries and those of the backups that it builds on."""

from collections.abc import Iterator, Sequence
from functools import cached_property

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

from ....exceptions import NotFound, WrongState
from ....lib.bulk import BATCH
from ....models import Entry, Folder
from ...base import File, Listing, Node
from .. import paths

DIRECTORY = Entry.Kind.DIRECTORY
SECOND = 10**9  # in nanoseconds


class View:
    """All that a full restore at a good backup gives.

    Of each place (folder and name) the entry of the newest source counts, unless it says that
    there is nothing any more. Raises WrongState for what is not a good backup.
    """

    def __init__(self, job):
        if not job.is_good or job.type != job.Type.BACKUP:
            raise WrongState(f"Job {job.pk} is {job.status}: it is no backup that can be read.")
        self.job = job

    @cached_property
    def sources(self) -> list[int]:
        """IDs of the jobs whose entries count, oldest first."""
        return sorted(self.job.source_links.values_list("source_id", flat=True))

    def entries(self) -> QuerySet[Entry]:
        """Return all entries of the view, in no order."""
        return self._newest(Entry.objects.filter(job__in=self.sources))

    def of_source(self, source: int) -> QuerySet[Entry]:
        """Return the entries of the view that one of its sources found, in no order."""
        return self._newest(Entry.objects.filter(job=source))

    def pages(self, source: int, *fields: str) -> Iterator[list[tuple]]:
        """Yield values of all that one source adds to the view, in the order of its volume.

        They come in lists, between which no query is open: SQLite can write meanwhile. The ends of
        the lists are found first, or else PostgreSQL would sort the whole source for each.
        """
        rows = Entry.objects.filter(job=source)
        last = 0
        while end := rows.filter(pk__gt=last).order_by("pk")[:BATCH].aggregate(pk=Max("pk"))["pk"]:
            found = self._newest(rows.filter(pk__gt=last, pk__lte=end)).order_by("pk")
            yield list(found.values_list(*fields))
            last = end

    def at(self, *args, **places) -> QuerySet[Entry]:
        """Return the entries of the view in these places, such as ``folder=…``, in no order."""
        return self._newest(self._rows().filter(*args, **places))

    def content(self, folder: Folder) -> QuerySet[Entry]:
        """Return the entries directly in a folder."""
        # The root is an entry of itself.
        return self.at(folder=folder).exclude(name=b"")

    def folder(self, path: bytes) -> Folder:
        """Return the folder with a path; raises NotFound unless the view has it."""
        path = paths.normal(path)
        found = self._directory(node__path_hash=paths.digest(path))
        if found is None:
            raise NotFound(f"Backup {self.job.pk} has no folder '{paths.shown(path)}'.")
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
        # What is not full is the last one, unless it lies behind that.
        is_last = limit is None or len(page) < limit
        total = offset + len(page) if is_last and (page or not offset) else content.count()
        return Listing(folder.pk, folder.path, page, total)

    def subfolders(self, folder: Folder) -> Sequence[Node]:
        """Return the folders directly in a folder, by name, with what lies directly in them."""
        found = list(self.content(folder).filter(kind=DIRECTORY).order_by("name"))
        counts = self._counts(folder)
        return [as_node(entry, folder.path, counts.get(entry.node_id, {})) for entry in found]

    def misplaced(self) -> QuerySet[Folder]:
        """Return folders with content in whose place the view has something else, by path."""
        place = self.at(folder=OuterRef("parent"), name=OuterRef("name"))
        of_client = Folder.objects.filter(client=self.job.client_id)
        found = of_client.filter(
            Exists(place.exclude(kind=DIRECTORY)), Exists(self.at(folder=OuterRef("pk")))
        )
        return found.order_by("path")

    def _rows(self) -> QuerySet[Entry]:
        # A sum has no index: there is no plan that reads whole jobs to find one place.
        return Entry.objects.alias(source=F("job_id") + 0).filter(source__in=self.sources)

    def _newest(self, rows: QuerySet[Entry]) -> QuerySet[Entry]:
        if len(self.sources) > 1:
            # By a value for each row and not by Exists, which PostgreSQL makes a join of: one that
            # takes the square of the folder's size when its statistics are old.
            here = self._rows().filter(folder=OuterRef("folder"), name=OuterRef("name"))
            rows = rows.filter(job=Subquery(here.order_by("-job_id").values("job_id")[:1]))
        return rows.exclude(kind=Entry.Kind.GONE).order_by()

    def _directory(self, **node) -> Folder | None:
        found = self.at(node__client=self.job.client_id, kind=DIRECTORY, **node)
        return next((entry.node for entry in found.select_related("node")[:1]), None)

    def _counts(self, parent: Folder) -> dict[int, dict[str, int]]:
        """Return for each folder in a folder that is not empty how much lies directly in it."""
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
        return {row.pop("folder"): row for row in rows}


def as_file(entry: Entry, folder: bytes) -> File:
    """Return an entry of a folder with this path as engines show it."""
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


def as_node(entry: Entry, folder: bytes, counts: dict[str, int]) -> Node:
    """Return the entry of a directory, in a folder with this path, as engines show it."""
    return Node(
        node_id=entry.node_id,
        name=entry.name,
        path=paths.join(folder, entry.name),
        size=counts.get("bytes") or 0,
        files=counts.get("files", 0),
        mtime=entry.mtime_ns // SECOND,
        has_children=bool(counts.get("folders")),
    )


def is_id(value: int) -> bool:
    """Say whether a database could have given this ID."""
    return 0 < value < 2**63
