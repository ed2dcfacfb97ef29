"""Search for records that contain all words."""

from contextlib import contextmanager
from html import escape

from django.db import connections
from django.db.models import Q
from rest_framework.exceptions import ValidationError

from ...conf import conf
from ...lib.time_limit import TooSlow, time_limit
from ...services import search_index
from . import fields
from .parameters import TEXT, Parameter

INDEXED_LENGTH = 3  # of the words that PostgreSQL's indexes find
LIMIT = 0.25  # seconds for a search of shorter words, which may have to read all records
MAX_CANDIDATES = 2000  # events with the words; where there are more, a page of them is found soon


class SearchParameter(Parameter):
    """Keeps the records with every word in one of the columns; ``rich`` ones contain HTML."""

    field_class = fields.SearchField
    schema = {**TEXT, "maxLength": conf.MAX_SEARCH_LENGTH}

    def __init__(self, *, plain, rich=(), **kwargs):
        super().__init__(**kwargs)
        self.plain, self.rich = plain, rich

    def filter(self, qs, value):
        for word in value or ():
            found = Q()
            for spelling in spellings(word):
                found |= _in_any(self.plain, spelling)
                found |= _in_any(self.rich, in_html(spelling))
            qs = qs.filter(found)
        return qs


class EventSearchParameter(SearchParameter):
    """On SQLite a search of events starts from an index, unless very many contain the words."""

    def filter(self, qs, value):
        words = [{*spellings(word), *map(in_html, spellings(word))} for word in value or ()]
        few = search_index.candidates(qs.db, words, MAX_CANDIDATES)
        return super().filter(qs if few is None else qs.filter(pk__in=few), value)


@contextmanager
def limited(filterset):
    """Refuse, with ValidationError, a search of short words that reads records for too long."""
    words = filterset.form.cleaned_data.get("search")
    if not words or max(map(len, words)) >= INDEXED_LENGTH:
        yield
        return
    try:
        with time_limit(connections[filterset.queryset.db], LIMIT):
            yield
    except TooSlow as e:
        sentence = (
            f"search needs a word of at least {INDEXED_LENGTH} characters among so many records."
        )
        raise ValidationError({"search": [sentence]}) from e


def in_html(text):
    """Return text as it is written in HTML: "R&B" is "R&amp;B"."""
    return escape(text, quote=False)


def spellings(word):
    """Return the spellings of word to search for.

    SQLite, and PostgreSQL with the C locale, ignore the case of ASCII letters only.
    """
    if word.isascii():
        return [word]
    return list(dict.fromkeys([word, word.lower(), word.upper(), word.capitalize()]))


def _in_any(columns, text):
    return Q(*((f"{column}__icontains", text) for column in columns), _connector=Q.OR)
