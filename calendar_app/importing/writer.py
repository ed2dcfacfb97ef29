"""Records as copies of those of a source, stored by the same rules as the API's writes."""

from collections import Counter, defaultdict
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace

from django.db import DataError, IntegrityError, transaction
from django.db.models.signals import post_save
from rest_framework.exceptions import ValidationError

from ..api import errors
from ..api.representations import Urls
from ..conf import conf
from ..exceptions import CalendarError
from ..lib import fetch
from ..models import Category, Post, Tag
from ..services import images, posts
from ..services.revision import writing

# The version of a record that the source has taken back.
GONE = "gone"
KINDS = {
    "new": "new",
    "updated": "updated",
    "unchanged": "unchanged",
    "trashed": "moved to the trash",
}


class RefusedError(Exception):
    """A record that the calendar's rules refuse; the message says why, in sentences."""


@dataclass(frozen=True)
class Source:
    """Where a record comes from: its ID there and what it is like at the moment."""

    id: str
    version: str
    lineage: list[str] = field(default_factory=list)


class Outcome:
    """What an import has done, by model and kind of change, and what it could not do."""

    def __init__(self):
        self.numbers: dict = defaultdict(Counter)
        self.problems: list[str] = []

    def note(self, kind, model):
        self.numbers[model][kind] += 1

    @property
    def is_failure(self):
        """Whether there were problems and nothing else."""
        return bool(self.problems) and not self.numbers

    def __str__(self):
        """Return it in words: ``12 events (10 new, 2 unchanged) and 1 venue (1 new)``."""
        parts = [_in_words(model, counts) for model, counts in self.numbers.items()]
        return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


class Copier:
    """Stores copies in the name of user; ``outcome`` tells what became of them.

    A copy is found again by its source's ID. While the source's version is the same the copy stays
    as it is, and so does one that was put into the trash here.
    """

    def __init__(self, user):
        self.outcome = Outcome()
        urls = Urls(conf.BASE_URL or "http://localhost")
        self.context = {
            "request": SimpleNamespace(user=user),
            "urls": urls,
            # Whoever reads a source knows how it writes its texts, and has decoded them.
            "texts_are_plain": True,
            "trusted": "",
        }
        self._images: dict[str, str] = {}
        self._made: set[tuple] = set()

    def trust(self, url: str):
        """Take images also from the host and port of url, which the operator has named, where its
        address is private. A public name is no more trusted than others: it may lead elsewhere
        tomorrow.
        """
        if fetch.is_private(url):
            self.context["trusted"] = url

    def copy(self, serializer_class, source: Source, build) -> int:
        """Return the ID of the copy of a source; raises RefusedError.

        Only when it is to be written, build(the copy so far or None) is asked for the data, in the
        form that the API takes.
        """
        model = serializer_class.model
        known = model.objects.filter(source_id=source.id).first()
        if known and (known.source_version == source.version or _is_deleted_here(known)):
            self.outcome.note("unchanged", model)
            return known.pk
        record, is_new = self._write(serializer_class, known, build(known), source)
        if known or is_new:
            self.outcome.note("new" if is_new else "updated", model)
        return record.pk

    def make(self, serializer_class, data: dict) -> int:
        """Return the ID of the record of this name, which may be there already."""
        record, is_new = self._write(serializer_class, None, data)
        if is_new and isinstance(record, Post):
            self.outcome.note("new", type(record))
        return record.pk

    def change(self, serializer_class, record, data: dict):
        """Change what data names of a copy; raises RefusedError."""
        self._write(serializer_class, record, data)

    def retire(self, model, source_id: str):
        """Move the copy of what its source has taken back to the trash, where there is one."""
        for record in model.objects.untrashed().filter(source_id=source_id):
            with writing():
                posts.trash(record)
                model.objects.filter(pk=record.pk).update(source_version=GONE)
            self.outcome.note("trashed", model)

    def image(self, url: str, owner: str) -> str:
        """Return url if it may be fetched, else "", which is noted once, with its first owner."""
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
    def leaving_out(self, label):
        """Note in the outcome why a block refuses the record of this label, and go on."""
        try:
            yield
        except RefusedError as e:
            self.outcome.problems.append(f"{label} was skipped: {e}")

    @contextmanager
    def noticing(self):
        """Notice what this import makes in a block; the new terms are in the outcome at its end."""

        def notice(sender, instance, created, **kwargs):
            if created:
                self._made.add((sender, instance.pk))

        post_save.connect(notice)
        try:
            yield
        finally:
            post_save.disconnect(notice)
            for model in (Category, Tag):
                # Without those that went again with an event that was refused.
                made = model.objects.in_bulk(pk for kind, pk in self._made if kind is model)
                if made:
                    self.outcome.numbers[model]["new"] += len(made)

    def _write(self, serializer_class, known, data, source=None):
        """Return the record as written, and whether there was none before."""
        serializer = serializer_class(
            known, data=data, partial=known is not None, context=self.context
        )
        model = serializer_class.model
        with _refusals():
            serializer.is_valid(raise_exception=True)
            with writing():
                record = serializer.save()
                is_new = (model, record.pk) in self._made
                # A record of our own that merely has the same name stays our own.
                if source and (known or is_new):
                    _sign(record, source)
        return record, is_new


@contextmanager
def rehearsal():
    """Undo at its end all that a block has written."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@contextmanager
def _refusals():
    try:
        yield
    except (CalendarError, ValidationError) as e:
        refusal = errors.as_refusal(e)
        params = refusal.data.get("params")
        sentences = params.values() if isinstance(params, dict) else [refusal.message]
        raise RefusedError(" ".join(sentences)) from e
    except IntegrityError as e:
        raise RefusedError("Another process stored it at the same time.") from e
    except DataError as e:
        raise RefusedError("It contains a value that the database rejects.") from e


def _is_deleted_here(record):
    return record.is_trashed and record.source_version != GONE


def _sign(record, source):
    type(record).objects.filter(pk=record.pk).update(
        source_id=source.id, source_version=source.version, global_id_lineage=source.lineage
    )


def _in_words(model, counts):
    total, names = counts.total(), model._meta
    name = names.verbose_name if total == 1 else names.verbose_name_plural
    kinds = (f"{counts[kind]} {words}" for kind, words in KINDS.items() if counts[kind])
    return f"{total} {name} ({', '.join(kinds)})"
