"""How drf-spectacular describes the operations: from what ``@operation`` declares."""

import json
from pathlib import Path

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent, build_media_type_object
from drf_spectacular.utils import OpenApiResponse

JSON = "application/json"
FORMS = "A form with the same fields is accepted as well: `files[0]=/etc`."
# Recorded answers about a small catalog; test_examples.py records and compares them.
EXAMPLES = json.loads((Path(__file__).parent / "examples.json").read_text())
ERROR = {
    "type": "object",
    "properties": {
        "error": {"type": "string", "description": "A sentence that names the thing and value."},
        "code": {"type": "string", "description": "The kind of error, for programs."},
        "fields": {
            "type": "object",
            "additionalProperties": {"type": "array", "items": {"type": "string"}},
            "description": "What is wrong with each parameter that was not accepted.",
        },
    },
    "required": ["error", "code", "fields"],
    "additionalProperties": False,
}
SUCCESS = {200: "The operation succeeded.", 202: "The answer is not ready yet."}
REFUSALS = {
    400: "A parameter is missing or not accepted; `fields` says which.",
    401: "The credentials are missing or wrong.",
    403: "The login may not do this, or a path lies outside `home` or `path`.",
    404: "The job, client or whatever else is named does not exist for this login.",
    409: "The state of the job or client does not allow this, or the name is taken.",
    413: "The body is too large.",
    415: "The body has a media type that is not supported.",
    416: "The range lies outside the chunk.",
    429: "Too many wrong logins; `Retry-After` says when to try again.",
    502: "The engine, or a program that it runs, reported an error.",
    503: "The engine or the client cannot be reached.",
}
ANYWHERE = {400, 401, 403, 429}
BODY = {413, 415}


class BackupAutoSchema(AutoSchema):
    """Each view is one operation, with an answer of its own and one shape of errors."""

    @property
    def operation(self):
        return self.view.operation

    def get_operation_id(self):
        return f"backup_{self.operation.name}"

    def get_tags(self):
        return [self.operation.topic]

    def get_summary(self):
        return self.operation.summary

    def get_description(self):
        return self.operation.description.partition("\n")[2].strip()

    def get_request_serializer(self):
        return self.operation.options() if self.method == "POST" else None

    def get_override_parameters(self):
        options = [self.operation.options] if self.method == "GET" else []
        return [*options, *self.operation.headers]

    def get_response_serializers(self):
        answer = self.operation.answer
        answers = answer if isinstance(answer, dict) else {200: answer}
        return {
            status: found
            if isinstance(found, OpenApiResponse)
            else OpenApiResponse(found, SUCCESS[status])
            for status, found in answers.items()
        }

    def map_parsers(self):
        # Many client generators fail on several media types with the same schema.
        found = super().map_parsers()
        return [JSON] if JSON in found else found

    def _get_request_body(self, direction="request"):
        body = super()._get_request_body(direction)
        if body and JSON in body["content"]:
            body["description"] = FORMS
        return body

    def _get_response_bodies(self, direction="response"):
        refusals = ANYWHERE | {*self.operation.refusals}
        if self.operation.on_behalf:
            refusals |= {404}
        if self.method == "POST":
            refusals |= BODY
        return {
            **super()._get_response_bodies(direction),
            **{str(status): self._refusal(status) for status in sorted(refusals)},
        }

    def _refusal(self, status):
        """Return a reference to the response that all operations refuse with by this status."""
        error = self._component("BackupError", ERROR, ResolvedComponent.SCHEMA)
        example = self._example(EXAMPLES["refusals"], str(status))
        response = {
            "description": REFUSALS[status],
            "content": {JSON: build_media_type_object(error, example)},
        }
        return self._component(f"Backup{status}", response, ResolvedComponent.RESPONSE)

    def _component(self, name, schema, kind):
        component = ResolvedComponent(name, kind, schema, object=name)
        self.registry.register_on_missing(component)
        return component.ref

    def _get_examples(self, serializer, direction, media_type, status_code=None, extras=None):
        kept = EXAMPLES.get(self.get_operation_id(), {}) if media_type == JSON else {}
        return self._example(kept, "request" if direction == "request" else status_code)

    @staticmethod
    def _example(kept, key):
        return {"example": {"value": kept[key]}} if key in kept else {}

    def _resolve_path_parameters(self, variables):
        return [
            {"in": "path", "name": name, "required": True, "schema": schema, "description": text}
            for name in variables
            for schema, text in [PARAMETERS[name]]
        ]


ID = {"type": "integer", "format": "int64", "minimum": 1}
TEXT = {"type": "string"}
PARAMETERS = {
    "job_id": (ID, "ID of a job."),
    "node_id": (ID, "ID of a folder, the same in all backups of a client."),
    "chunk": ({**ID, "minimum": 0}, "Number of the chunk; the first is 0."),
    "client_ip": (TEXT, "IP address of a client."),
    "server_ip": (TEXT, "IP address of a client."),
    "client_name": (TEXT, "Name of a client."),
    "db_name": (TEXT, "Name of a database that the backup has a dump of."),
    "pool_name": (TEXT, "Name of a pool."),
    "system": ({**TEXT, "enum": ["unix", "windows"]}, "Operating system of the client."),
    "level": (
        {**TEXT, "enum": ["full", "incremental", "differential", "F", "I", "D"]},
        "Level of the backup, in any case.",
    ),
}
