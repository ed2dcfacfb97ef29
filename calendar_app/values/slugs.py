"""Slugs: the readable, unique part of a URL."""

from collections.abc import Iterable
from itertools import count
from typing import Any

from django.db.models import Model, QuerySet
from django.utils.text import slugify

MAX_LENGTH = 200
MAX_DIGITS = 10  # of the number that makes a slug unique


def slug_of(text: str) -> str:
    """Return a slug for text: in ASCII if its letters have equivalents, else in its own letters."""
    return (slugify(text) or slugify(text, allow_unicode=True))[:MAX_LENGTH].strip("-_")


def unique_slug(record: Model, text: str, others: QuerySet[Any]) -> str:
    """Return a slug for record, made from text, that no other row of the queryset others has.

    A taken slug gets the next free number: ``summer``, ``summer-2``, ``summer-3``. It stays free
    only within ``revision.writing()``.
    """
    base = slug_of(text) or str(record._meta.model_name)
    others = others.exclude(pk=record.pk)
    if not others.filter(slug=base).exists():
        return base
    taken = _taken(base, others)
    numbered = (_numbered(base, number) for number in count(_last_number(taken) + 1))
    return next(slug for slug in numbered if slug not in taken)


def _taken(base: str, others: QuerySet[Any]) -> set[str]:
    """Return all slugs that base with a number could collide with, and possibly more."""
    # A long base is cut to make room for the number and its hyphen.
    stem = base[: MAX_LENGTH - 1 - MAX_DIGITS]
    stem = f"{base}-" if stem == base else stem
    return set(others.filter(slug__startswith=stem).values_list("slug", flat=True))


def _last_number(slugs: Iterable[str]) -> int:
    endings = (slug.rpartition("-")[2] for slug in slugs)
    return max(
        (int(end) for end in endings if end.isdecimal() and len(end) < MAX_DIGITS), default=1
    )


def _numbered(base: str, number: int) -> str:
    ending = f"-{number}"
    return base[: MAX_LENGTH - len(ending)] + ending
