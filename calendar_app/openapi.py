"""How drf-spectacular describes the calendar: answers, errors and the names of operations."""

from drf_spectacular.extensions import OpenApiSerializerExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse

from . import shapes

SUMMARIES = {
    "list": "List {collection}",
    "retrieve": "Read one of the {collection}",
    "create": "Create one of the {collection}",
    "update": "Change one of the {collection} (partial, as PATCH and POST are)",
    "partial_update": "Change one of the {collection}",
    "post_update": "Change one of the {collection}",
    "destroy": "Delete one of the {collection}",
}
FIELDS = OpenApiParameter(
    "_fields", str, description="Only these fields of the answer: comma-separated, dotted paths."
)
PASSWORD = OpenApiParameter(
    "password", str, description="The password of a protected event; its editors need none."
)


class CalendarAutoSchema(AutoSchema):
    """Every operation of a resource answers its record or list, or the one error body."""

    def get_operation_id(self):
        action, collection = self._action, self._collection
        by = "_by_slug" if "by-slug" in self.path else ""
        return f"{collection}_{action}{by}" if collection else super().get_operation_id()

    def get_tags(self):
        return [self._collection or "namespace"]

    def get_summary(self):
        summary = SUMMARIES.get(self._action)
        return summary.format(collection=self._collection) if summary else super().get_summary()

    def get_description(self):
        return "" if self._collection else super().get_description()

    def get_override_parameters(self):
        found = [*super().get_override_parameters()]
        if self.method == "GET" and self._collection:
            found.append(FIELDS)
        if self._collection == "events" and self._action not in {"list", "create"}:
            found.append(PASSWORD)
        return found

    def get_request_serializer(self):
        # Whatever the method, an update is partial.
        if self._action in {"update", "partial_update", "post_update"}:
            return self.view.serializer_class(partial=True)
        return super().get_request_serializer()

    def get_response_serializers(self):
        found = super().get_response_serializers()
        if isinstance(found, dict):
            return found
        if self._action == "destroy":
            found = self.get_serializer_class()
        answers = {(201 if self._action == "create" else 200, "application/json"): found}
        if self.method == "GET" and self._collection == "events":
            answers[200, "text/calendar"] = OpenApiTypes.STR
        return answers

    def _get_response_bodies(self, direction="response"):
        error = OpenApiResponse(shapes.ERROR, description="What was refused, and why.")
        return {
            **super()._get_response_bodies(direction),
            "default": self._get_response_for_code(error, "default"),
        }

    def get_serializer_class(self):
        return self.view.serializer_class

    def _get_paginator(self):
        paginator = super()._get_paginator()
        if paginator:
            paginator.view = self.view
        return paginator

    @property
    def _action(self):
        return getattr(self.view, "action", None)

    @property
    def _collection(self):
        return getattr(self.view, "collection", None)


class RecordExtension(OpenApiSerializerExtension):
    """Describes a serializer by its fields in requests, and by its shape in answers."""

    shape: dict

    def get_name(self, auto_schema, direction):
        name = type(self.target).__name__.removesuffix("Serializer")
        return name if direction == "response" else f"{name}Fields"

    def map_serializer(self, auto_schema, direction):
        if direction == "request":
            return auto_schema._map_serializer(self.target, direction, bypass_extensions=True)
        return self.answer(auto_schema)

    def answer(self, auto_schema):
        return self.shape


class EventExtension(RecordExtension):
    target_class = "calendar_app.serializers.EventSerializer"

    def answer(self, auto_schema):
        from .serializers import OrganizerSerializer, VenueSerializer

        linked = (VenueSerializer, OrganizerSerializer)
        return shapes.event(*(auto_schema.resolve_serializer(s, "response").ref for s in linked))


class VenueExtension(RecordExtension):
    target_class = "calendar_app.serializers.VenueSerializer"
    shape = shapes.VENUE


class OrganizerExtension(RecordExtension):
    target_class = "calendar_app.serializers.OrganizerSerializer"
    shape = shapes.ORGANIZER


class CategoryExtension(RecordExtension):
    target_class = "calendar_app.serializers.CategorySerializer"
    shape = shapes.CATEGORY


class TagExtension(RecordExtension):
    target_class = "calendar_app.serializers.TagSerializer"
    shape = shapes.TAG


class ImageExtension(RecordExtension):
    target_class = "calendar_app.serializers.ImageSerializer"
    shape = shapes.IMAGE
