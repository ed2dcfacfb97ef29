"""Stores imported records, by the same rules as the API."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from threading import get_ident
from types import SimpleNamespace
from typing import Any, NamedTuple

from django.db import DataError, IntegrityError, transaction
from django.db.models.signals import post_save
from django.utils.text import get_text_list
from rest_framework.exceptions import ValidationError

from ..api import errors
from ..api.representations import Urls
from ..conf import conf
from ..exceptions import CalendarError
from ..lib import fetch
from ..models import Category, Post, Tag
from ..services import images, posts
from ..services.actor import acting
from ..services.revision import with_revision, writing

# The version of a record that the source has withdrawn.
GONE = "gone"
KINDS = {
    "new": "new",
    "updated": "updated",
    "unchanged": "unchanged",
    "trashed": "moved to the trash",
}


class RejectedError(Exception):
    """A record is invalid for the calendar; the message says why, in sentences."""


@dataclass(frozen=True)
class Source:
    """The source of a record: its ID there, and the version that is imported."""

    id: str
    version: str
    lineage: list[str] = field(default_factory=list)


class Row(NamedTuple):
    """A record that an import has dealt with, and how."""

    kind: str
    record: Any

    @property
    def what(self):
        return KINDS[self.kind]

    @property
    def model(self):
        return self.record._meta.verbose_name


class Outcome:
    """What an import has done, by model and kind of change, and its problems.

    The first ``most_rows`` records are kept in ``rows``.
    """

    def __init__(self, most_rows: int = 0):
        self.numbers: dict = defaultdict(Counter)
        self.problems: list[str] = []
        self.rows: list[Row] = []
        self.most_rows = most_rows

    def note(self, kind, record):
        self.numbers[type(record)][kind] += 1
        if len(self.rows) < self.most_rows:
            self.rows.append(Row(kind, record))

    @property
    def more_rows(self):
        """How many records are not among ``rows``."""
        return sum(counts.total() for counts in self.numbers.values()) - len(self.rows)

    @property
    def is_failure(self):
        """Whether there were problems and nothing else."""
        return bool(self.problems) and not self.numbers

    def __str__(self):
        """Return a summary: ``12 events (10 new, 2 unchanged) and 1 venue (1 new)``."""
        parts = [_in_words(model, counts) for model, counts in self.numbers.items()]
        return get_text_list(parts, "and")


class Importer:
    """Stores records as user; ``outcome`` counts them.

    A record is recognized by its source's ID. It is not updated while the source's version is the
    same, nor after it was moved to the trash here.
    """

    def __init__(self, user, *, most_rows: int = 0):
        self.outcome = Outcome(most_rows)
        urls = Urls(conf.BASE_URL or "http://localhost")
        self.context = {
            "request": SimpleNamespace(user=user),
            "urls": urls,
            # The readers of sources have decoded the texts already.
            "texts_are_plain": True,
            "trusted": "",
        }
        self._images: dict[str, str] = {}
        self._made: set[tuple] = set()
        self._expected: dict[tuple, Post] = {}

    def trust(self, url: str):
        """Allow images from the host and port of url, which the operator has named, if its address
        is private. A public name needs no such trust, and could lead to a private address later.
        """
        if fetch.is_private(url):
            self.context["trusted"] = url

    def store(self, serializer_class, source: Source, build) -> int:
        """Return the ID of the record imported from source. Raises RejectedError.

        build(the present record or None) returns the data as for the API; it is called only if
        the record has to be written.
        """
        model = serializer_class.model
        known = self.known(model, source.id)
        if not _is_settled(known, source) and self._expected.pop((model, source.id), None):
            known = self.known(model, source.id)  # in full, and as it is by now
        if _is_settled(known, source):
            self.outcome.note("unchanged", known)
            return known.pk
        record, is_new = self._write(serializer_class, known, build(known), source)
        if known or is_new:
            self.outcome.note("new" if is_new else "updated", record)
        return record.pk

    def expect(self, records: Iterable[Post]):
        """Take these records for those that are stored, so that ``known`` need not ask for each."""
        self._expected = {(type(record), record.source_id): record for record in records}

    def known(self, model, source_id: str):
        """Return the record that was imported from this source; None for none."""
        expected = self._expected.get((model, source_id))
        return expected or with_revision(model.objects.filter(source_id=source_id)).first()

    def make(self, serializer_class, data: dict) -> int:
        """Return the ID of the record with this name, new or existing. Raises RejectedError."""
        record, is_new = self._write(serializer_class, None, data)
        if is_new and isinstance(record, Post):
            self.outcome.note("new", record)
        return record.pk

    def change(self, serializer_class, record, data: dict):
        """Change the fields of record that are in data. Raises RejectedError."""
        self._write(serializer_class, record, data)

    def trash(self, model, source_id: str):
        """Move the record to the trash that its source has withdrawn, if it exists."""
        self._expected.pop((model, source_id), None)
        for record in model.objects.untrashed().filter(source_id=source_id):
            with writing():
                posts.trash(record)
                model.objects.filter(pk=record.pk).update(source_version=GONE)
            self.outcome.note("trashed", record)

    def image(self, url: str, owner: str) -> str:
        """Return url if it may be fetched, else ""; note the problem once, with its first owner."""
        if url and url not in self._images:
            self._images[url] = self._checked(url, owner)
        return self._images.get(url, "")

    def _checked(self, url, owner):
        try:
            images.check_url(url, self.context["trusted"])
        except images.ImageError as e:
            self.outcome.problems.append(f"{owner}: its image was skipped. {e.message}")
            return ""
        return url

    @contextmanager
    def skipping(self, label):
        """Note a RejectedError in the block as a problem with the record of this label."""
        try:
            yield
        except RejectedError as e:
            self.outcome.problems.append(f"{label} was skipped: {e}")

    @contextmanager
    def running(self, *, dry_run: bool = False):
        """Track what a block creates, to count the new terms; roll a dry run back at its end."""

        thread = get_ident()

        def track(sender, instance, created, **kwargs):
            if created and get_ident() == thread:
                self._made.add((sender, instance.pk))

        user = self.context["request"].user
        with acting(user), _rollback_at_end() if dry_run else nullcontext():
            post_save.connect(track)
            try:
                yield
            finally:
                post_save.disconnect(track)
                for model in (Category, Tag):
                    # Those created with a rejected event were rolled back with it.
                    made = model.objects.in_bulk(pk for kind, pk in self._made if kind is model)
                    for record in made.values():
                        self.outcome.note("new", record)

    def _write(self, serializer_class, known, data, source=None):
        """Return the stored record, and whether it is new."""
        serializer = serializer_class(
            known, data=data, partial=known is not None, context=self.context
        )
        model = serializer_class.model
        with _rejections():
            serializer.is_valid(raise_exception=True)
            with writing():
                record = serializer.save()
                is_new = (model, record.pk) in self._made
                # A record of this site that merely has the same name gets no source.
                if source and (known or is_new):
                    _set_source(record, source)
        return record, is_new


@contextmanager
def _rollback_at_end():
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@contextmanager
def _rejections():
    try:
        yield
    except (CalendarError, ValidationError) as e:
        error = errors.as_calendar_error(e)
        params = error.data.get("params")
        sentences = params.values() if isinstance(params, dict) else [error.message]
        raise RejectedError(" ".join(sentences)) from e
    except IntegrityError as e:
        raise RejectedError("Another process stored it at the same time.") from e
    except DataError as e:
        raise RejectedError("It contains a value that the database rejects.") from e


def status_for(known: Post | None, status: str) -> dict[str, str]:
    """Return the status, as data, of an event that is new or comes back from the trash.

    That of any other is decided here, not by its source.
    """
    return {"status": status} if known is None or known.is_trashed else {}


def _is_settled(record, source):
    """Return whether an import leaves a record as it is: unchanged, or put into the trash here."""
    if record is None:
        return False
    was_trashed_here = record.is_trashed and record.source_version != GONE
    return was_trashed_here or record.source_version == source.version


def _set_source(record, source):
    type(record).objects.filter(pk=record.pk).update(
        source_id=source.id, source_version=source.version, global_id_lineage=source.lineage
    )


def _in_words(model, counts):
    total, names = counts.total(), model._meta
    name = names.verbose_name if total == 1 else names.verbose_name_plural
    kinds = (f"{counts[kind]} {words}" for kind, words in KINDS.items() if counts[kind])
    return f"{total} {name} ({', '.join(kinds)})"
