"""The query parameters of the lists of categories and tags."""

from django import forms
from django.db.models import Case, F, IntegerField, Q, Value, When
from django.db.models.functions import Lower

from ...models import Category, Event, Tag
from ...services import terms
from . import fields
from .event import visible
from .linked import EventParameter
from .parameters import (
    BooleanParameter,
    ChoiceParameter,
    ListFilterSet,
    Parameter,
    RecordParameter,
    RecordsParameter,
)
from .search import SearchParameter

NAME = Lower("name")
# WordPress clients may sort by term_group; all terms are in group 0.
ORDERS = {
    "id": F("id"),
    "name": NAME,
    "slug": F("slug"),
    "count": F("count"),
    "description": Lower("description"),
    "include": NAME,
    "term_group": NAME,
}


class TermIdsParameter(RecordsParameter):
    def get_queryset(self, request):
        return self.parent.queryset.model.objects.all()


class ParentParameter(RecordParameter):
    field_class = fields.ParentField
    schema = {"type": "integer", "format": "int64", "minimum": 0}

    def filter(self, qs, value):
        return qs if value is None else qs.filter(parent=value or None)


class HideEmptyParameter(BooleanParameter):
    """Keeps the terms in use, unless false; a category with a descendant in use stays."""

    always = True

    def filter(self, qs, value):
        if value is False:
            return qs
        used = Q(count__gt=0)
        if qs.model is Category:
            used |= Q(pk__in=terms.with_used_descendants())
        return qs.filter(used)


class OrderParameter(ChoiceParameter):
    """Sorts in the direction of ``order``; orderby=include sorts as the IDs were given."""

    always = True

    def filter(self, qs, value):
        chosen = self.parent.form.cleaned_data
        key = ORDERS[value or "name"]
        if value == "include" and chosen.get("include"):
            key = position(chosen["include"])
        return qs.order_by(key.desc() if chosen.get("order") == "desc" else key.asc(), "id")


def position(ids):
    """Return the position of a row's ID in ids, as a database expression."""
    places = (When(pk=pk, then=Value(place)) for place, pk in enumerate(ids))
    return Case(*places, output_field=IntegerField())


class TermForm(forms.Form):
    def clean(self):
        data = super().clean()
        if "event" in data:
            data.pop("post", None)
        return data


class TermFilterSet(ListFilterSet):
    include = TermIdsParameter("id", "in", help_text="Only these IDs, comma-separated or repeated.")
    exclude = TermIdsParameter(
        "id", "in", exclude=True, help_text="All except these IDs, comma-separated or repeated."
    )
    search = SearchParameter(
        plain=["name", "slug"],
        help_text="Terms with all of these words in the name or slug.",
    )
    slug = Parameter("slug", help_text="The term with exactly this slug.")
    hide_empty = HideEmptyParameter(
        default=True, help_text="Omit terms without publicly listed events."
    )
    post = EventParameter(
        "events", queryset=visible(Event), help_text="Terms of the event with this ID."
    )
    event = EventParameter(
        "events", queryset=visible(Event), help_text="The same; takes precedence over post."
    )
    orderby = OrderParameter(choices=list(ORDERS), default="name", help_text="Field to sort by.")
    order = ChoiceParameter(
        modifies=True, choices=["asc", "desc"], default="asc", help_text="Ascending or descending."
    )


class CategoryFilterSet(TermFilterSet):
    parent = ParentParameter(
        queryset=Category.objects.all(),
        help_text="Direct children of the category with this ID; 0 for the top level.",
    )

    class Meta:
        model = Category
        form = TermForm
        fields = []


class TagFilterSet(TermFilterSet):
    class Meta:
        model = Tag
        form = TermForm
        fields = []
