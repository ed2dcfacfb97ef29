from ...api.serializers import CategorySerializer, TagSerializer
from ...exceptions import CalendarError
from ...services import terms
from .checked import CheckedForm


class TermForm(CheckedForm):
    """A category or tag."""

    left_to_services = {"slug", "name"}

    def validate_unique(self):
        """Reject a taken name with a sentence: the database would only name its constraint."""
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
