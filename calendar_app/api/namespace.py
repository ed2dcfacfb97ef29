"""The namespace's index of routes and arguments, derived from its OpenAPI description."""

import re
from functools import cache

from django.urls import include, path
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse

NAMESPACE = "calendar/events/v1"
METHODS = ("get", "post", "put", "patch", "delete")
OBJECT = {200: OpenApiResponse(OpenApiTypes.OBJECT, "The description.")}
ARGUMENT_KEYS = ("type", "format", "items", "enum", "default", "minimum", "maximum")
# Marks what this service adds to the interface: the index leaves it out, the description has it.
OWN = {"x-own": True}
PATTERNS = {"id": r"(?P<id>\d+)", "slug": r"(?P<slug>[^/]+)"}


def text_parameter(name, default, description):
    return OpenApiParameter(name, OpenApiTypes.STR, default=default, description=description)


@cache
def openapi(root):
    """Return the OpenAPI 3 document (a dict) of the routes mounted at root."""
    patterns = [path(root.lstrip("/"), include("calendar_app.urls"))]
    return SchemaGenerator(patterns=patterns).get_schema(request=None, public=True)


def index(root, absolute):
    """Return the namespace's index: each route's methods and arguments.

    absolute is a function that makes a path an absolute URL.
    """
    document = openapi(root)
    return {
        "namespace": NAMESPACE,
        "routes": {
            _pattern(address): _route(address, operations, document, absolute)
            for address, operations in document["paths"].items()
            if not all(OWN.items() <= operation.items() for operation in operations.values())
        },
        "_links": {"up": [{"href": absolute("/")}]},
    }


def _pattern(address):
    return re.sub(r"\{(\w+)\}", lambda found: PATTERNS[found[1]], address.rstrip("/"))


def _route(address, operations, document, absolute):
    found = [(method, operations[method]) for method in METHODS if method in operations]
    route = {
        "namespace": NAMESPACE,
        "methods": [method.upper() for method, _ in found],
        "endpoints": [
            {"methods": [method.upper()], "args": _arguments(operation, document)}
            for method, operation in found
        ],
    }
    if "{" not in address:
        route["_links"] = {"self": [{"href": absolute(address)}]}
    return route


def _arguments(operation, document):
    arguments = {
        parameter["name"]: _argument(parameter, parameter["schema"], parameter.get("required"))
        for parameter in operation.get("parameters", ())
        if parameter["in"] in {"query", "path"} and not OWN.items() <= parameter.items()
    }
    body = _body_schema(operation, document)
    required = body.get("required", ())
    for name, schema in body.get("properties", {}).items():
        arguments[name] = _argument(schema, schema, name in required)
    return arguments


def _argument(described, schema, required):
    argument = {key: schema[key] for key in ARGUMENT_KEYS if key in schema}
    if "oneOf" in schema:
        argument["type"] = [form["type"] for form in schema["oneOf"]]
    return {"required": bool(required), **argument, "description": described["description"]}


def _body_schema(operation, document):
    content = operation.get("requestBody", {}).get("content", {})
    schema = next((media["schema"] for media in content.values()), {})
    if "$ref" in schema:
        return document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return schema
