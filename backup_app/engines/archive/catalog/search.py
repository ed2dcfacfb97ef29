"""Searching all backups of a client for a path, and what one stored for names."""

from collections.abc import Iterator, Sequence
from itertools import product

from django.db.models import F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Length, Substr

from ....models import Entry, Folder, Job
from ....models.fields import BytesField
from ....models.job import GOOD
from ...base import File
from .. import paths
from .view import as_file


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
