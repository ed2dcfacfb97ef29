"""Looking through all backups of a client, instead of one, and through all that one stored."""

from collections.abc import Iterator, Sequence
from itertools import product

from django.db.models import Exists, F, Max, OuterRef, Q, Subquery
from django.db.models.functions import Length, Substr

from ....exceptions import NotFound
from ....models import Entry, Folder, Job
from ....models.fields import BytesField
from ....models.job import JobSource
from ...base import File, Node
from ...nodes import merged
from .. import paths
from .view import View, as_file


def jobs_with_path(jobs, path: bytes):
    """Return those of a queryset of one client's jobs that are backups which contain a path."""
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
    return jobs.good().backups().alias(there=Subquery(newest)).filter(there__in=present)


def files_ending(job, endings: Sequence[bytes]) -> Iterator[File]:
    """Yield the files that a job itself stored whose names end so; letters count in both cases.

    The names of all others stay in the database.
    """
    tails = {f"last_{len(ending)}": _tail(len(ending)) for ending in endings}
    wanted = Q()
    for ending in endings:
        wanted |= Q(**{f"last_{len(ending)}__in": _spellings(ending)})
    entries = Entry.objects.filter(job=job, kind=Entry.Kind.FILE).alias(**tails).filter(wanted)
    for entry in entries.annotate(parent=F("folder__path")).iterator():
        yield as_file(entry, bytes(entry.parent))


def _tail(length):
    return Substr("name", Length("name") - (length - 1), output_field=BytesField())


def _spellings(ending):
    letters = [{letter.lower(), letter.upper()} for letter in ending.decode()]
    return ["".join(letters).encode() for letters in product(*letters)]


def client_tree(client, path: bytes) -> Sequence[Node]:
    """Return the folders in a path as the newest good backup of each fileset has them.

    A folder that several have is one node with the most that one has in it. Raises NotFound.
    """
    found: dict[bytes, Node] = {}
    known = False
    for job in newest_backups(client):
        view = View(job)
        try:
            nodes = view.subfolders(view.folder(path))
        except NotFound:
            continue
        known = True
        for node in nodes:
            found[node.name] = merged(found[node.name], node) if node.name in found else node
    if not known:
        raise NotFound(f"No backup of client '{client}' has a folder '{paths.shown(path)}'.")
    return [found[name] for name in sorted(found)]


def newest_backups(client):
    """Return the newest good backup of each fileset of a client; those that have none are one."""
    newest = (
        Job.objects.filter(Exists(JobSource.objects.filter(job=OuterRef("pk"))), client=client)
        .good()
        .backups()
        .order_by()
        .values("fileset")
        .annotate(newest=Max("pk"))
        .values("newest")
    )
    return Job.objects.filter(pk__in=newest).order_by("pk")
