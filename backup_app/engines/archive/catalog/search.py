"""Looking through all backups of a client, instead of one, and through all that one stored."""

from collections.abc import Iterator, Sequence
from itertools import product

from django.db.models import F, OuterRef, Q, Subquery
from django.db.models.functions import Length, Substr

from ....models import Entry, Folder
from ....models.fields import BytesField
from ...base import File
from .. import paths
from .view import as_file


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
