"""How drf-spectacular describes the calendar: responses, errors and the names of operations."""

import json
import tomllib
from pathlib import Path

from drf_spectacular.extensions import OpenApiSerializerExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent, build_media_type_object
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse

from ..conf import conf
from . import schemas
from .filters.parameters import ID
from .namespace import OWN
from .serializers import EventSerializer, ImageSerializer, OrganizerSerializer, VenueSerializer
from .serializers.record import RecordSerializer

HERE = Path(__file__).parent
OPERATIONS = tomllib.loads((HERE / "operations.toml").read_text())
# Recorded responses of the demo calendar; a test compares them, and records them with RECORD=1.
EXAMPLES = json.loads((HERE / "examples.json").read_text())
NAMES, REFUSALS = OPERATIONS.pop("names"), OPERATIONS.pop("refusals")
FORMS = "A form with the same fields is accepted too: `venue[venue]=Old+Mill`."
JSON, ICALENDAR = "application/json", "text/calendar"
UPDATES = {"update", "partial_update", "post_update"}
CREATES = {"create", "bulk"}


def parameter(name, description, kind=str, **more):
    return OpenApiParameter(name, kind, description=description, **more)


def header(name, description, kind=str, response=(200,)):
    return parameter(name, description, kind, location="header", response=[*response])


FIELDS = parameter(
    "_fields",
    "Return only these fields: comma-separated, with dots for nested fields, such as "
    "`events.title,total`.",
)
FORMAT = parameter(
    "format",
    "Format of the response; takes precedence over the `Accept` header.",
    enum=["json", "ics"],
)
PASSWORD = parameter(
    "password", "Password of a protected event; not needed by its author and editors."
)
CONDITIONAL = (
    header("ETag", "Changes with the response. `If-None-Match` with this value gets 304."),
    header("Last-Modified", "When the response last changed, for `If-Modified-Since`."),
)
TOTALS = (
    header(
        "X-TEC-Total",
        "Number of matching records on all pages. Among very many it may at first be an estimate, "
        "in an answer without an ETag.",
        int,
    ),
    header("X-TEC-TotalPages", "Number of pages.", int),
    header("Link", "URLs of the next and previous pages, if any (RFC 8288)."),
)
DRY_RUN = parameter(
    "dry_run",
    "Answer what the request would do, and store nothing. IDs of records that would be made are "
    "given to others later.",
    bool,
    extensions=OWN,
)
IDEMPOTENCY_KEY = parameter(
    "Idempotency-Key",
    "A string that no other request of yours has, such as a UUID. The same request with the same "
    "key gets the first answer again and creates nothing more.",
    location="header",
    pattern="^[A-Za-z0-9._:-]{1,255}$",
)
ALL_OR_NONE = parameter(
    "all_or_none", "Store nothing if any of the events is refused; the answer is 400 then.", bool
)
DRY_RUN_ANSWER = header("X-Dry-Run", "`true` if nothing was stored.", response=(200, 201))
REPLAYED = header("Idempotent-Replayed", "`true` in a repeated answer.", response=(200, 201))


class CalendarAutoSchema(AutoSchema):
    """Describes operations by operations.toml: each returns its record or list, or an error."""

    def get_operation_id(self):
        action, collection = self._action, self._collection
        by = "_by_slug" if "by-slug" in self.path else ""
        return f"{collection}_{action}{by}" if collection else super().get_operation_id()

    def get_tags(self):
        return [self._collection or "namespace"]

    def get_summary(self):
        by = " by its slug" if "by-slug" in self.path else ""
        return self._text("summary") + by if self._collection else super().get_summary()

    def get_description(self):
        return self._text("description") if self._collection else super().get_description()

    def get_extensions(self):
        return OWN if self._action == "bulk" else super().get_extensions()

    def get_auth(self):
        schemes = [scheme for scheme in super().get_auth() if scheme]
        return [{}, *schemes] if self.method == "GET" else schemes

    def get_override_parameters(self):
        found = [*super().get_override_parameters()]
        if self.method == "GET" and self._collection:
            found += [FIELDS, *CONDITIONAL]
        elif self._collection:
            found += [DRY_RUN, DRY_RUN_ANSWER]
        if self._action in CREATES:
            found += [IDEMPOTENCY_KEY, REPLAYED]
        if self._action == "bulk":
            found.append(ALL_OR_NONE)
        if self._action == "list":
            found += TOTALS
        if self._collection == "events" and self.method == "GET":
            found.append(FORMAT)
        if self._collection == "events" and self._action not in {"list", *CREATES}:
            found.append(PASSWORD)
        return found

    def get_request_serializer(self):
        # Whatever the method, an update is partial.
        if self._action in UPDATES:
            return self.view.serializer_class(partial=True)
        if self._action == "bulk":
            fields = self.resolve_serializer(self.view.serializer_class(partial=True), "request")
            return {JSON: schemas.bulk(fields.ref, conf.BULK_MAX_EVENTS)}
        return super().get_request_serializer()

    def get_response_serializers(self):
        found = super().get_response_serializers()
        if self._action == "destroy":
            found = self.get_serializer_class()
        if self._action == "bulk":
            event = self.resolve_serializer(self.view.serializer_class, "response").ref
            error = self._component("CalendarError", schemas.ERROR, ResolvedComponent.SCHEMA)
            found = schemas.bulk_answer(event, error)
        answer = OpenApiResponse(found, self._text("answer"))
        answers = {(201 if self._action == "create" else 200, JSON): answer}
        if self.method == "GET" and self._collection == "events":
            answers[200, ICALENDAR] = OpenApiTypes.STR
        if self.method == "GET":
            answers[304] = OpenApiResponse(
                None, "Not modified: the client has the current response."
            )
        return answers

    def get_serializer_class(self):
        return self.view.serializer_class

    def map_parsers(self):
        # Many client generators fail on several media types with the same schema.
        found = super().map_parsers()
        return [JSON] if JSON in found else found

    def _get_request_body(self, direction="request"):
        body = super()._get_request_body(direction)
        if body and JSON in body["content"] and self._action != "bulk":
            body["description"] = FORMS
        return body

    def _get_response_bodies(self, direction="response"):
        refusals = self._declared["refusals"] if self._collection else (401, 429)
        return {
            **super()._get_response_bodies(direction),
            **{str(status): self._refusal(status) for status in refusals},
        }

    def _get_response_for_code(
        self, serializer, status_code, media_types=None, direction="response"
    ):
        response = super()._get_response_for_code(serializer, status_code, media_types, direction)
        media = response.get("content", {}).get(JSON)
        if media and self.method == "GET" and self._collection:
            trimmed = self._component("Trimmed", schemas.TRIMMED, ResolvedComponent.SCHEMA)
            media["schema"] = {"anyOf": [media["schema"], trimmed]}
        return response

    def _refusal(self, status):
        """Return a reference to the error response that all operations share for this status."""
        error = self._component("CalendarError", schemas.ERROR, ResolvedComponent.SCHEMA)
        example = self._example(EXAMPLES["refusals"], str(status))
        response = {
            "description": REFUSALS[str(status)],
            "content": {JSON: build_media_type_object(error, example)},
        }
        return self._component(f"Calendar{status}", response, ResolvedComponent.RESPONSE)

    def _component(self, name, schema, kind):
        component = ResolvedComponent(name, kind, schema, object=name)
        self.registry.register_on_missing(component)
        return component.ref

    def _get_examples(self, serializer, direction, media_type, status_code=None, extras=None):
        action = "partial_update" if self._action in UPDATES else self._action
        name = f"{self._collection}_{action}" if self._collection else self.get_operation_id()
        recorded = EXAMPLES.get(name, {}) if media_type == JSON else {}
        return self._example(recorded, "request" if direction == "request" else status_code)

    @staticmethod
    def _example(recorded, key):
        return {"example": {"value": recorded[key]}} if key in recorded else {}

    def _get_format_parameters(self):
        return []  # get_override_parameters adds FORMAT where there is a choice

    def _resolve_path_parameters(self, variables):
        """Return the parameters of a path: the ID or the slug of a record."""
        record = NAMES.get(self._collection)
        known = {
            "id": {"schema": ID, "description": f"ID of the {record}."},
            "slug": {"schema": schemas.TEXT, "description": f"Slug of the {record}."},
        }
        return [{"in": "path", "name": n, "required": True, **known[n]} for n in variables]

    def _get_paginator(self):
        paginator = super()._get_paginator()
        paginator.view = self.view
        return paginator

    def _text(self, kind):
        record = NAMES[self._collection]
        article = "an" if record[0] in "eio" else "a"
        text = self._declared.get(kind, "").strip()
        names = {"record": record, "a_record": f"{article} {record}"}
        return text.format(**names, collection=self._collection)

    @property
    def _declared(self):
        """The entry of this operation in operations.toml."""
        of_action = OPERATIONS["update" if self._action in UPDATES else self._action]
        return of_action | of_action.get(self._collection, {})

    @property
    def _action(self):
        return getattr(self.view, "action", None)

    @property
    def _collection(self):
        return getattr(self.view, "collection", None)


class RecordExtension(OpenApiSerializerExtension):
    """Describes a serializer by its fields in requests, and by a schema in responses."""

    target_class = RecordSerializer
    match_subclasses = True

    def get_name(self, auto_schema, direction):
        name = type(self.target).__name__.removesuffix("Serializer")
        return name if direction == "response" else f"{name}Fields"

    def map_serializer(self, auto_schema, direction):
        if direction == "request":
            return auto_schema._map_serializer(self.target, direction, bypass_extensions=True)
        if isinstance(self.target, EventSerializer):
            linked = (VenueSerializer, OrganizerSerializer)
            refs = (auto_schema.resolve_serializer(each, direction).ref for each in linked)
            return schemas.event(*refs)
        return schemas.RECORDS[self.get_name(auto_schema, direction)]


class ImageExtension(RecordExtension):
    target_class = ImageSerializer
