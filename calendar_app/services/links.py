"""What a user's event may be linked to, by ID and by name."""

from .. import permissions
from ..exceptions import Forbidden
from ..models import Image, Post
from ..values import names
from . import images, terms
from .revision import writing

EMPTY = (None, "")


def by_ids(model, ids, user):
    """Return the records of model with these IDs that user may link to, as {ID: record}."""
    return _reachable(model, user).in_bulk(set(ids))


def by_name(model, name, user):
    """Return the oldest venue or organizer of this name, in any case, that user may read."""
    return names.matching(_reachable(model, user), [name]).order_by("id").first()


def missing(record, fields, user):
    """Return those of fields that record has nothing in; none when user may not change it."""
    if not permissions.may_edit(user, record):
        return {}
    return {
        name: value
        for name, value in fields.items()
        if value not in EMPTY and getattr(record, name, "") in EMPTY and name != "author"
    }


def terms_by_name(model, wanted, user):
    """Return the categories or tags that these names or slugs name, as {key of name: term}.

    Creates those that are not there. Raises Forbidden when user may not.
    """
    wanted = {names.key(name): name for name in reversed(wanted)}
    if not wanted:
        return {}
    with writing():
        known = _known_terms(model, wanted)
        for key in wanted.keys() - known.keys():
            known[key] = _new_term(model, wanted[key], user)
    return known


def _known_terms(model, wanted):
    by_slug = model.objects.filter(slug__in=wanted)
    # Of several categories with one name, the oldest counts.
    by_own_name = names.matching(model.objects.all(), wanted.values()).order_by("-id")
    known = {term.slug: term for term in by_slug}
    return known | {names.key(term.name): term for term in by_own_name}


def _new_term(model, name, user):
    if not permissions.has(user, "add", model):
        kind = model._meta.verbose_name
        raise Forbidden(
            f"There is no {kind} '{name}', and you may not create one.",
            code="rest_cannot_create_term",
        )
    term = model(name=name)
    terms.save(term)
    return term


def _reachable(model, user):
    if model is Image:
        return images.visible_to(user)
    return model.objects.visible_to(user) if issubclass(model, Post) else model.objects.all()
