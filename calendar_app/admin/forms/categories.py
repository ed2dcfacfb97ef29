"""Categories as checkboxes, each below the one that it is a part of."""

from django import forms

from ...services import terms
from ..look import CheckboxSelectMultiple

MOST = 200  # with more, they are searched by name
DEEPEST = 6  # level that is still set in


class TreeWidget(CheckboxSelectMultiple):
    """Checkboxes that are set in by the level of their category."""

    def create_option(self, name, value, *args, **kwargs):
        option = super().create_option(name, value, *args, **kwargs)
        level = min(value.instance.level, DEEPEST)
        option["attrs"]["class"] = f"{option['attrs'].get('class', '')} level-{level}".strip()
        return option


class TreeIterator(forms.models.ModelChoiceIterator):
    def __iter__(self):
        found = self.queryset.in_bulk()
        for pk, level in terms.outline().items():
            if category := found.get(pk):
                category.level = level
                yield self.choice(category)


class TreeField(forms.ModelMultipleChoiceField):
    iterator = TreeIterator
