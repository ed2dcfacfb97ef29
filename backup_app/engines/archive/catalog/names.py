"""The index of names: for each folder of a client, the names that any backup has had in it.

A row lists many names of a folder, so a search of ten million entries reads a few hundred thousand
rows at most. PostgreSQL looks them up by the trigrams of these lists (pg_trgm); SQLite, and
PostgreSQL without that extension, read all rows of the client. Names are added after a backup, so
that no backup waits for the index.
"""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from time import monotonic

from django.db import OperationalError, connection, transaction
from django.db.models import F, Max, Min, OuterRef, QuerySet, Subquery
from django.utils import timezone

from ....lib.bulk import commit_later, insert_rows
from ....models import Client, Entry, Folder, FolderNames, Job, Volume
from ....models.job import GOOD
from ...history import NameSearch
from ...shared.name_pattern import NamePattern, too_long
from ...values import Tick, no_tick
from .history import histories

PAGE = 5000  # entries read at once
LENGTH = 1400  # characters of a list: PostgreSQL stores longer rows elsewhere
MOST = 1000  # paths that a search finds
BEING_INDEXED = dt.timedelta(minutes=10)  # after a backup, by the worker that has run it
SECONDS = 10  # for a search
# Bytes that are no UTF-8, as Python decodes them, and as private characters that databases accept.
LONE = {0xDC00 + byte: 0x10FE00 + byte for byte in range(128, 256)}
BACK = {private: lone for lone, private in LONE.items()}
FIND = """
SELECT folder.id, folder.path, names.names FROM {names} names
JOIN {folder} folder ON folder.id = names.folder_id
WHERE names.client_id = %s AND names.names {like} %s ESCAPE '!'
"""


def index_names(job: Job, tick: Tick = no_tick) -> None:
    """See ``Engine.index_names``."""
    for found in _new_names(job):
        tick()
        rows = (
            (job.client_id, folder, names)
            for folder, texts in found.items()
            for names in lists_of(texts)
        )
        with transaction.atomic():
            commit_later()
            insert_rows(FolderNames, ["client_id", "folder_id", "names"], rows)
    Volume.objects.filter(job=job).update(names_indexed=True)


def unindexed_jobs() -> list[int]:
    """See ``Engine.unindexed_jobs``."""
    ended = timezone.now() - BEING_INDEXED
    rows = _unindexed().filter(job__ended__lt=ended)
    return list(rows.order_by("job").values_list("job_id", flat=True))


def search_names(client: Client, text: str, offset: int, limit: int) -> NameSearch:
    """See ``Engine.search_names``."""
    pattern = NamePattern(text)
    found: dict[bytes, tuple[int, bytes]] = {}
    is_complete, end = True, monotonic() + SECONDS
    for folder_id, folder, names in _candidates(client, pattern.like):
        if monotonic() > end:  # lists that match, of which no name does, may be very many
            raise too_long(SECONDS)
        shown = as_text(folder)
        for name in names.strip("/").split("/"):
            if pattern.matches(shown, name):
                exact = as_name(name)
                found[folder.rstrip(b"/") + b"/" + exact] = folder_id, exact
        if len(found) > MOST:
            is_complete = False
            break
    chosen = sorted(found)[:MOST]
    page = {path: found[path] for path in chosen[offset : offset + limit]}
    return NameSearch(
        found=[each for each in histories(client, page) if each.versions],
        total=len(chosen),
        is_complete=is_complete,
        unindexed=_unindexed().filter(job__client=client).count(),
    )


def lists_of(texts: Iterable[str]) -> Iterator[str]:
    """Yield the lists in which names are stored, with a slash around each name."""
    waiting: list[str] = []
    length = 0
    for text in texts:
        if waiting and length + len(text) > LENGTH:
            yield f"/{'/'.join(waiting)}/"
            waiting, length = [], 0
        waiting.append(text)
        length += len(text) + 1
    if waiting:
        yield f"/{'/'.join(waiting)}/"


def as_text(name: bytes) -> str:
    """Return a name as text that every database accepts."""
    return name.decode(errors="surrogateescape").translate(LONE)


def as_name(text: str) -> bytes:
    """Return the name of a text of ``as_text``."""
    return text.translate(BACK).encode(errors="surrogateescape")


def _new_names(job: Job) -> Iterator[dict[int, list[str]]]:
    """Yield names by their folders, in pages: those that no older backup has in the same place."""
    rows = Entry.objects.filter(job=job)
    of_client = Job.objects.backups().filter(client=job.client_id)
    has_older = of_client.filter(pk__lt=job.pk).exists()
    oldest = Entry.objects.filter(folder=OuterRef("folder"), name=OuterRef("name"))
    first = Subquery(oldest.order_by("job_id").values("job_id")[:1])
    ends = rows.aggregate(first=Min("pk"), last=Max("pk"))
    # Windows of IDs, of which a job has nearly all: finding the next of its rows may mean a sort.
    # No index applies to a sum, so no query plan reads the whole job for each window.
    everything = Entry.objects.alias(source=F("job_id") + 0).filter(source=job.pk)
    for start in range(ends["first"] or 0, (ends["last"] or -1) + 1, PAGE):
        page = everything.filter(pk__gte=start, pk__lt=start + PAGE).order_by()
        page = page.filter(job=first) if has_older else page
        found: dict[int, list[str]] = defaultdict(list)
        for folder, name in page.exclude(kind=Entry.Kind.GONE).values_list("folder", "name"):
            if name:  # The root is in itself, without a name.
                found[folder].append(as_text(name))
        yield found


def _unindexed() -> QuerySet[Volume]:
    return Volume.objects.filter(names_indexed=False, job__status__in=GOOD)


def _candidates(client: Client, like: str) -> Iterator[tuple[int, bytes, str]]:
    """Yield (folder, its path, names) of the lists that match."""
    is_postgresql = connection.vendor == "postgresql"
    # A cursor in the server, of which only the first rows are read if there are very many.
    with (
        transaction.atomic(),
        connection.cursor() as setting,
        connection.chunked_cursor() as cursor,
    ):
        if is_postgresql:
            setting.execute(f"SET LOCAL statement_timeout = '{SECONDS}s'")
        try:
            cursor.execute(_query(is_postgresql), [client.pk, like])
            while rows := cursor.fetchmany(MOST):
                for folder_id, path, names in rows:
                    yield folder_id, bytes(path), names
        except OperationalError as e:
            if "statement timeout" not in str(e):
                raise
            raise too_long(SECONDS) from e


@cache
def _query(is_postgresql: bool) -> str:
    quote = connection.ops.quote_name
    return FIND.format(
        names=quote(FolderNames._meta.db_table),
        folder=quote(Folder._meta.db_table),
        # LIKE of SQLite ignores the case of ASCII letters.
        like="ILIKE" if is_postgresql else "LIKE",
    )
