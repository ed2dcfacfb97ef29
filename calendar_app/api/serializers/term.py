from ...exceptions import CalendarError
from ...models import Category, Tag
from ...services import terms
from .. import representations
from .fields import HtmlField, SlugField, TextField, is_blank
from .record import RecordSerializer
from .relations import ParentField


class TermSerializer(RecordSerializer):
    """The base of the serializers of categories and tags."""

    name = TextField(max_length=200, help_text="Name, unique at its level, ignoring case.")
    description = HtmlField(required=False, help_text="Description: HTML, which is sanitized.")
    slug = SlugField(
        required=False,
        max_length=200,
        help_text="Readable part of the URL; made from the name if empty. A slug that is taken "
        "gets a number.",
    )

    def store(self, term, data):
        terms.save(term)

    def to_representation(self, instance):
        return self.represent(instance, self.context["urls"])


class CategorySerializer(TermSerializer):
    """A category; an update changes the fields in the body."""

    model = Category
    represent = staticmethod(representations.category)

    parent = ParentField(
        Category, required=False, help_text="ID of the parent category; 0 for none."
    )


class TagSerializer(TermSerializer):
    """A tag; an update changes the fields in the body."""

    model = Tag
    represent = staticmethod(representations.tag)

    def to_internal_value(self, data):
        parent = data.get("parent") if isinstance(data, dict) else None
        if not is_blank(parent) and parent not in (0, "0"):
            raise CalendarError(
                "Tags are not hierarchical, so a tag cannot have a parent.",
                code="rest_taxonomy_not_hierarchical",
            )
        return super().to_internal_value(data)
