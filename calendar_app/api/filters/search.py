"""Search for records that contain all words."""

from html import escape

from django.db.models import Q

from ...conf import conf
from . import fields
from .parameters import TEXT, Parameter


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
                # In HTML, "R&B" is "R&amp;B".
                found |= _in_any(self.rich, escape(spelling, quote=False))
            qs = qs.filter(found)
        return qs


def spellings(word):
    """Return the spellings of word to search for.

    SQLite, and PostgreSQL with the C locale, ignore the case of ASCII letters only.
    """
    if word.isascii():
        return [word]
    return list(dict.fromkeys([word, word.lower(), word.upper(), word.capitalize()]))


def _in_any(columns, text):
    return Q(*((f"{column}__icontains", text) for column in columns), _connector=Q.OR)
