"""Slugs: the readable, unique part of a URL."""

import re
from collections.abc import Sequence
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

    A taken slug gets a number: ``summer``, ``summer-2``, ``summer-3``. It stays free only within
    ``revision.writing()``.
    """
    base = slug_of(text) or str(record._meta.model_name)
    others = others.exclude(pk=record.pk)
    # Whether 10, 100, 1000 … are taken tells how many digits the highest number has, so that of
    # thousands of equal titles none but the last is read.
    powers = [_numbered(base, 10**digits) for digits in range(MAX_DIGITS)]
    taken = set(others.filter(slug__in=[base, *powers]).values_list("slug", flat=True))
    if base not in taken:
        return base
    digits = max((n for n, slug in enumerate(powers) if slug in taken), default=0) + 1
    return _numbered(base, max(1, _highest_number(base, digits, others)) + 1)


def unique_slugs(bases: Sequence[str], others: QuerySet[Any]) -> list[str]:
    """Return a slug for each of bases that neither another one nor a row of others has.

    As ``unique_slug``, in one query for all, and another one for those that are taken.
    """
    found: dict[int, str] = {}
    number = 1
    while len(found) < len(bases):
        wanted = {
            place: _numbered(base, number) if number > 1 else base
            for place, base in enumerate(bases)
            if place not in found
        }
        taken = set(others.filter(slug__in=wanted.values()).values_list("slug", flat=True))
        taken |= {*found.values()}
        for place, slug in wanted.items():
            if slug not in taken:
                found[place] = slug
                taken.add(slug)
        number += 1
    return [found[place] for place in range(len(bases))]


def _highest_number(base: str, digits: int, others: QuerySet[Any]) -> int:
    """Return the highest number with this many digits that a slug of others ends with, or 0."""
    first, last = (_numbered(base, number) for number in (10 ** (digits - 1), 10**digits - 1))
    stem = re.escape(first[:-digits])
    # The range is what the index serves; other slugs sort between those with a number.
    numbered = others.filter(
        slug__gte=first, slug__lte=last, slug__regex=rf"^{stem}[0-9]{{{digits}}}$"
    )
    slug = numbered.order_by("-slug").values_list("slug", flat=True).first()
    return int(slug[-digits:]) if slug else 0


def _numbered(base: str, number: int) -> str:
    ending = f"-{number}"
    return base[: MAX_LENGTH - len(ending)] + ending
