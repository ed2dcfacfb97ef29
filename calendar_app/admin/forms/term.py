from ...api.serializers import CategorySerializer, TagSerializer
from ...exceptions import CalendarError
from ...services import terms
from .checked import CheckedForm


class TermForm(CheckedForm):
    """A category or tag."""

    left_to_verbs = {"slug", "name"}

    def validate_unique(self):
        """Refuse a taken name in words, where the database has only a constraint's name for it."""
        super().validate_unique()
        if "name" in self.cleaned_data:
            try:
                terms.require_free_name(self.instance)
            except CalendarError as e:
                self.add_error("name", e.message)


class CategoryForm(TermForm):
    serializer = CategorySerializer


class TagForm(TermForm):
    serializer = TagSerializer
