"""The verbs of categories and tags."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from django.db.models import CharField, Q, Value
from django.db.models.functions import Cast, Concat

from ..exceptions import CalendarError
from ..models import Category, Tag
from ..values import names
from ..values.slugs import unique_slug
from . import history
from .revision import writing


def save(term: Category | Tag) -> None:
    """Store term with a unique slug, made from its name if it has none.

    Raises CalendarError ``term_exists`` when another term of its level has the name, ignoring case,
    and Django's ValidationError for a parent that is one of its descendants.
    """
    with writing(precise=term.pk is None):
        term.clean()
        require_free_name(term)
        term.slug = unique_slug(term, term.slug or term.name, type(term).objects.all())
        term.save()


def require_free_name(term: Category | Tag) -> None:
    """Raise CalendarError ``term_exists`` when another term of term's level has its name."""
    level = {"parent": term.parent_id} if isinstance(term, Category) else {}
    others = type(term).objects.filter(**level).exclude(pk=term.pk)
    if twin := names.matching(others, [term.name]).first():
        raise CalendarError(
            f"A {term._meta.verbose_name} '{twin.name}' already exists at this level.",
            code="term_exists",
            term_id=twin.pk,
        )


def delete(*doomed: Category | Tag) -> None:
    """Delete categories, or tags, permanently; children of a category move up to its parent.

    Raises CalendarError ``term_exists`` when the name of a child is taken there.
    """
    with writing():
        if conflicts := name_conflicts(doomed):
            raise CalendarError(
                f"'{conflicts[0].name}' would move up one level, where its name is taken: rename "
                "or move one of the two first.",
                code="term_exists",
                term_id=conflicts[0].pk,
            )
        _move_up_children([term for term in doomed if isinstance(term, Category)])
        for term in doomed:
            term.delete()


def name_conflicts(doomed: Sequence[Category | Tag]) -> list[Category]:
    """Return the children of these terms whose names are taken at the level they would move to."""
    moves = _moves(doomed)
    found, taken = [], _taken(moves, doomed)
    for child, parent in moves.items():
        place = parent, names.key(child.name)
        if place in taken:
            found.append(child)
        taken.add(place)
    return found


def _moves(doomed: Sequence[Category | Tag]) -> dict[Category, int | None]:
    """Return the children that remain, as {category: ID of its new parent}."""
    parents = {term.pk: term.parent_id for term in doomed if isinstance(term, Category)}
    moves = {}
    for child in Category.objects.filter(parent__in=parents).exclude(pk__in=parents):
        parent = child.parent_id
        while parent is not None and parent in parents:
            parent = parents[parent]
        moves[child] = parent
    return moves


def _taken(
    moves: dict[Category, int | None], doomed: Sequence[Category | Tag]
) -> set[tuple[int | None, str]]:
    """Return (parent ID, key of name) of the categories at the levels where the children move."""
    level = Q(parent__in=[parent for parent in moves.values() if parent])
    if None in moves.values():
        level |= Q(parent=None)
    others = Category.objects.filter(level).exclude(pk__in=[term.pk for term in doomed])
    found = names.matching(others, [child.name for child in moves])
    return {(term.parent_id, names.key(term.name)) for term in found}


def _move_up_children(doomed: Sequence[Category]) -> None:
    moves = _moves(doomed)
    # A child may have the name of the category that it replaces, so the doomed ones are renamed
    # first: to their ID after a line break, which no real name contains.
    going = Category.objects.filter(pk__in=[category.pk for category in doomed])
    going.update(name=Concat(Value("\n"), Cast("pk", CharField())))
    for child, parent in moves.items():
        Category.objects.filter(pk=child.pk).update(parent=parent)
        history.note_parent(child, parent)


def with_descendants(ids: Iterable[int]) -> set[int]:
    """Return the IDs of these categories and of all their descendants."""
    # One query for the whole tree: categories are few, and may have thousands of levels.
    children = defaultdict(list)
    for pk, parent in Category.objects.values_list("id", "parent_id"):
        children[parent].append(pk)
    found: set[int] = set()
    waiting = list(ids)
    while waiting:
        pk = waiting.pop()
        if pk not in found:
            found.add(pk)
            waiting.extend(children[pk])
    return found


def outline() -> dict[int, int]:
    """Return the levels of all categories by ID, each category before those below it."""
    children: defaultdict[int | None, list[int]] = defaultdict(list)
    for pk, parent in Category.objects.order_by("name", "id").values_list("id", "parent_id"):
        children[parent].append(pk)
    found: dict[int, int] = {}
    waiting = [(pk, 0) for pk in reversed(children[None])]
    while waiting:
        pk, level = waiting.pop()
        found[pk] = level
        waiting.extend((child, level + 1) for child in reversed(children[pk]))
    return found


def with_used_descendants() -> set[int]:
    """Return the IDs of the categories that have a descendant in use, in one query."""
    rows = list(Category.objects.order_by().values_list("id", "parent_id", "count"))
    parents = {pk: parent for pk, parent, _ in rows}
    found: set[int] = set()
    for above in (parent for _, parent, count in rows if count):
        while above is not None and above not in found:
            found.add(above)
            above = parents[above]
    return found
