"""The API's description, as strict as answers are without ``_fields``."""

import json

from calendar_app.api import namespace

from .api_client import P


def whole():
    """Return the description without ``_fields``, by which an answer lacks nothing."""
    document = json.loads(json.dumps(namespace.openapi(P)))
    for operation in (found for path in document["paths"].values() for found in path.values()):
        parameters = operation.get("parameters", [])
        operation["parameters"] = [each for each in parameters if each["name"] != "_fields"]
        for media in _media(operation):
            if "anyOf" in media["schema"]:
                media["schema"] = media["schema"]["anyOf"][0]
    return document


def _media(operation):
    for response in operation["responses"].values():
        yield from response.get("content", {}).values()
