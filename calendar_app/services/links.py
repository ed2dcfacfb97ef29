"""Finds the records that a user may link to, by ID and by name."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db.models import Model, Q, QuerySet

from .. import permissions
from ..exceptions import Forbidden
from ..models import Category, Event, Image, Organizer, Post, Tag, Venue
from ..permissions import User
from ..values import names
from . import images, revision, terms

EMPTY = (None, "")


def by_ids(model: type[Model], ids: Iterable[int], user: User) -> dict[int, Any]:
    """Return the records of model with these IDs that user may link to, as {ID: record}."""
    # Events are not remembered: the write that is going on may change them.
    memory = {} if model is Event else revision.memory()
    wanted = set(ids)
    known = {pk: memory[model, pk] for pk in wanted if (model, pk) in memory}
    if unknown := wanted - known.keys():
        found = _reachable(model, user).in_bulk(unknown)
        memory.update({(model, pk): record for pk, record in found.items()})
        known |= found
    return known


def by_name(
    model: type[Venue] | type[Organizer], name: str, user: User
) -> Venue | Organizer | None:
    """Return the oldest venue or organizer with this name, ignoring case, that user may read."""
    memory, place = revision.memory(), (model, names.key(name))
    if place not in memory:
        found = names.matching(_reachable(model, user), [name]).order_by("id").first()
        if found is None:
            return None
        memory[place] = found
    record: Venue | Organizer = memory[place]
    return record


def missing(record: Post, fields: Mapping[str, Any], user: User) -> dict[str, Any]:
    """Return those of fields that are empty in record; none if user may not change it."""
    if not permissions.may_edit(user, record):
        return {}
    return {
        name: value
        for name, value in fields.items()
        if value not in EMPTY and getattr(record, name, "") in EMPTY and name != "author"
    }


def terms_by_name(
    model: type[Category] | type[Tag], wanted: Sequence[str], user: User
) -> dict[str, Any]:
    """Return the categories or tags with these names or slugs, as {``names.key(name)``: term}.

    Creates those that do not exist. Raises Forbidden when user may not.
    """
    by_key = {names.key(name): name for name in reversed(wanted)}
    if not by_key:
        return {}
    memory = revision.memory()
    known = {key: memory[model, key] for key in by_key if (model, key) in memory}
    unknown = {key: name for key, name in by_key.items() if key not in known}
    if unknown:
        with revision.writing(precise=True):
            known |= _known_terms(model, unknown)
            for key in unknown.keys() - known.keys():
                known[key] = _new_term(model, unknown[key], user)
        memory.update({(model, key): known[key] for key in unknown})
    return known


def _known_terms(model: type[Any], by_key: Mapping[str, str]) -> dict[str, Any]:
    every, by_slug = model.objects.all(), Q(slug__in=by_key)
    # Newest first: of several categories with the same name, the oldest is the last to be set.
    found = names.matching(every, by_key.values(), otherwise=by_slug).order_by("-id")
    known = {term.slug: term for term in found if term.slug in by_key}
    return known | {names.key(term.name): term for term in found}


def _new_term(model: type[Any], name: str, user: User) -> Any:
    if not permissions.has(user, "add", model):
        kind = model._meta.verbose_name
        raise Forbidden(
            f"There is no {kind} '{name}', and you may not create one.",
            code="rest_cannot_create_term",
        )
    term = model(name=name)
    terms.save(term)
    return term


def _reachable(model: type[Any], user: User) -> QuerySet[Any]:
    if model is Image:
        return images.visible_to(user)
    records: QuerySet[Any] = model.objects.all()
    return model.objects.visible_to(user) if issubclass(model, Post) else records
