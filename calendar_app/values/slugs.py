"""Slugs: the readable, unique part of an address."""

from itertools import count

from django.utils.text import slugify

MAX_LENGTH = 200


def slug_of(text):
    """Return a slug for text: ASCII where its letters have one, else its own letters."""
    return (slugify(text) or slugify(text, allow_unicode=True))[:MAX_LENGTH].strip("-_")


def unique_slug(record, text, others):
    """Return a slug for record made from text that no row of the queryset others has.

    A taken slug gets the next free number: ``summer``, ``summer-2``, ``summer-3``.
    """
    base = slug_of(text) or record._meta.model_name
    others = others.exclude(pk=record.pk)
    if not others.filter(slug=base).exists():
        return base
    taken = _taken(base, others)
    numbered = (_numbered(base, number) for number in count(_last_number(taken) + 1))
    return next(slug for slug in numbered if slug not in taken)


def _taken(base, others):
    """Return all slugs that a number at the end of base could give, and maybe more."""
    # Room for a number of ten digits, for which a long base is cut.
    stem = base[: MAX_LENGTH - 11]
    stem = f"{base}-" if stem == base else stem
    return set(others.filter(slug__startswith=stem).values_list("slug", flat=True))


def _last_number(slugs):
    endings = (slug.rpartition("-")[2] for slug in slugs)
    return max((int(end) for end in endings if end.isdecimal() and len(end) < 10), default=1)


def _numbered(base, number):
    ending = f"-{number}"
    return base[: MAX_LENGTH - len(ending)] + ending
