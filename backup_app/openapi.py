"""How drf-spectacular describes the operations: from what ``@operation`` was told."""

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import build_basic_type
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiResponse

ERROR = {
    "type": "object",
    "properties": {
        "error": {"type": "string"},
        "code": {"type": "string"},
        "fields": {
            "type": "object",
            "additionalProperties": {"type": "array", "items": {"type": "string"}},
        },
    },
    "required": ["error", "code", "fields"],
    "additionalProperties": False,
}
REFUSALS = {
    400: "A parameter cannot be accepted.",
    401: "The credentials are missing or wrong.",
    403: "This is not granted, or lies outside.",
    404: "There is no such thing.",
    409: "The state of the thing does not allow it.",
    413: "The body is too large.",
    415: "The body is of a kind that is not understood.",
    416: "The range is not within the chunk.",
    429: "Too many wrong logins.",
    502: "The engine refused.",
    503: "The engine cannot be reached.",
}
ALWAYS = (400, 401, 403, 413, 415, 429)


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
        of_subuser = {404} if self.operation.on_behalf else set()
        refusals = sorted({*ALWAYS, *of_subuser, *self.operation.refusals})
        return {
            **answers,
            **{status: OpenApiResponse(ERROR, description=REFUSALS[status]) for status in refusals},
        }

    def get_examples(self):
        if not self.operation.example:
            return []
        return [OpenApiExample("example", self.operation.example, request_only=True)]

    def _resolve_path_parameters(self, variables):
        return [
            {
                "in": "path",
                "name": name,
                "required": True,
                "schema": PARAMETERS.get(name, build_basic_type(OpenApiTypes.STR)),
            }
            for name in variables
        ]


NUMBER = {"type": "integer", "format": "int64", "minimum": 1}
ADDRESS = {"type": "string", "description": "An IP address."}
PARAMETERS = {
    "job_id": NUMBER,
    "node_id": NUMBER,
    "chunk": {"type": "integer", "format": "int64", "minimum": 0},
    "client_ip": ADDRESS,
    "server_ip": ADDRESS,
    "system": {"type": "string", "enum": ["unix", "windows"]},
    "level": {"type": "string", "example": "full"},
}
