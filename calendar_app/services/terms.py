"""The verbs of categories and tags, and how many events they have."""

from collections import defaultdict

from django.db.models import CharField, Count, OuterRef, Q, Subquery, Value
from django.db.models.functions import Cast, Coalesce, Concat

from ..exceptions import CalendarError
from ..models import Category, Event, Tag
from ..models.event import LISTED
from ..values import names
from ..values.slugs import unique_slug
from .revision import writing


def save(term):
    """Store term with a slug of its own, made from its name when it has none.

    Raises CalendarError ``term_exists`` when another of its level has the name, in any case, and
    Django's ValidationError for a parent that stands below it.
    """
    with writing():
        term.clean()
        require_free_name(term)
        term.slug = unique_slug(term, term.slug or term.name, type(term).objects.all())
        term.save()


def require_free_name(term):
    """Raise CalendarError ``term_exists`` when another of term's level has its name."""
    level = {"parent": term.parent_id} if isinstance(term, Category) else {}
    others = type(term).objects.filter(**level).exclude(pk=term.pk)
    if twin := names.matching(others, [term.name]).first():
        kind = term._meta.verbose_name
        raise CalendarError(
            f"A {kind} '{twin.name}' already exists at this level.",
            code="term_exists",
            term_id=twin.pk,
        )


def recount(model, ids):
    """Update how many publicly listed events each term of model (Category or Tag) has."""
    through = getattr(Event, model.event_field).through
    column = model._meta.model_name
    listed = {f"event__{name}": value for name, value in LISTED.items()}
    counts = (
        through.objects.filter(**{column: OuterRef("pk")}, **listed)
        .order_by()
        .values(column)
        .annotate(number=Count("pk"))
        .values("number")
    )
    model.objects.filter(pk__in=ids).update(count=Coalesce(Subquery(counts), 0))


def recount_of(events):
    """Write the counts of all terms of these events (IDs) anew."""
    for model in (Category, Tag):
        through = getattr(Event, model.event_field).through
        column = f"{model._meta.model_name}_id"
        ids = set(through.objects.filter(event__in=events).values_list(column, flat=True))
        if ids:
            recount(model, ids)


def delete(*doomed):
    """Delete categories, or tags, for good; the children of a category move to its parent.

    Raises CalendarError ``term_exists`` when one of them finds its name taken there.
    """
    with writing():
        if crowded := crowded_out(doomed):
            raise CalendarError(
                f"'{crowded[0].name}' would move up one level, where its name is taken: rename or "
                "move one of the two first.",
                code="term_exists",
                term_id=crowded[0].pk,
            )
        _move_up_children([term for term in doomed if isinstance(term, Category)])
        for term in doomed:
            term.delete()


def crowded_out(doomed):
    """Return the children of these terms whose names are taken where they would move."""
    moves = _moves(doomed)
    found, taken = [], _taken(moves, doomed)
    for child, parent in moves.items():
        place = parent, names.key(child.name)
        if place in taken:
            found.append(child)
        taken.add(place)
    return found


def _moves(doomed):
    """Return the children that stay, as {category: ID of its parent to come}."""
    parents = {term.pk: term.parent_id for term in doomed if isinstance(term, Category)}
    moves = {}
    for child in Category.objects.filter(parent__in=parents).exclude(pk__in=parents):
        moves[child] = child.parent_id
        while moves[child] in parents:
            moves[child] = parents[moves[child]]
    return moves


def _taken(moves, doomed):
    """Return (parent ID, key of name) of what stands already where the children move to."""
    level = Q(parent__in=[parent for parent in moves.values() if parent])
    if None in moves.values():
        level |= Q(parent=None)
    others = Category.objects.filter(level).exclude(pk__in=[term.pk for term in doomed])
    found = names.matching(others, [child.name for child in moves])
    return {(term.parent_id, names.key(term.name)) for term in found}


def _move_up_children(doomed):
    moves = _moves(doomed)
    # Rename the doomed first, so that children can have their names. No real name has a line break.
    going = Category.objects.filter(pk__in=[category.pk for category in doomed])
    going.update(name=Concat(Value("\n"), Cast("pk", CharField())))
    for child, parent in moves.items():
        Category.objects.filter(pk=child.pk).update(parent=parent)


def children_by_parent():
    """Return the category tree as ``{parent ID or None: [child IDs]}``, in one query."""
    tree = defaultdict(list)
    for pk, parent in Category.objects.values_list("id", "parent_id"):
        tree[parent].append(pk)
    return tree


def with_descendants(ids):
    """Return the IDs of these categories and of all below them."""
    tree, found, waiting = children_by_parent(), set(), list(ids)
    while waiting:
        pk = waiting.pop()
        if pk not in found:
            found.add(pk)
            waiting.extend(tree[pk])
    return found


def above_used():
    """Return the IDs of the categories that have a used one below them, in one query."""
    rows = list(Category.objects.order_by().values_list("id", "parent_id", "count"))
    parents, found = {pk: parent for pk, parent, _ in rows}, set()
    for above in (parent for _, parent, count in rows if count):
        while above is not None and above not in found:
            found.add(above)
            above = parents[above]
    return found
