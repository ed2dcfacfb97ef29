"""Slugs: the readable, unique part of a URL."""

import re
from collections.abc import Iterator, Sequence
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
    is_taken, digits = _taken(base, others)
    return _numbered(base, next(_numbers(base, digits, others))) if is_taken else base


def unique_slugs(bases: Sequence[str], others: QuerySet[Any]) -> list[str]:
    """Return a slug for each of bases that neither another one nor a row of others has.

    As ``unique_slug``, in one query for all, and a few for each base that is taken.
    """
    taken = set(others.filter(slug__in=set(bases)).values_list("slug", flat=True))
    numbers: dict[str, Iterator[int]] = {}
    found = []
    for base in bases:
        slug = base
        while slug in taken:
            if base not in numbers:
                _, digits = _taken(base, others)
                numbers[base] = _numbers(base, digits, others)
            slug = _numbered(base, next(numbers[base]))
        taken.add(slug)
        found.append(slug)
    return found


def _taken(base: str, others: QuerySet[Any]) -> tuple[bool, int]:
    """Return whether others have the slug base, and of how many digits their highest number is."""
    # Whether 10, 100, 1000 … are taken tells that, so that of thousands of equal titles none but
    # the last is read.
    powers = [_numbered(base, 10**digits) for digits in range(MAX_DIGITS)]
    taken = set(others.filter(slug__in=[base, *powers]).values_list("slug", flat=True))
    return base in taken, max((n for n, slug in enumerate(powers) if slug in taken), default=0) + 1


def _numbers(base: str, digits: int, others: QuerySet[Any]) -> Iterator[int]:
    """Yield the numbers that are free after base, from the highest one of others on."""
    number = 1
    while True:
        number = max(number, _highest_number(base, digits, others)) + 1
        yield from range(number, 10**digits + 1)  # ``_taken`` would have seen this last one
        number, digits = 10**digits, digits + 1


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
