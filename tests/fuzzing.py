"""An API against its own OpenAPI description: Schemathesis, with all of its checks."""

import json
import re

import schemathesis
from schemathesis import engine

from .attacks import rounds

FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
LONGEST = 2000  # characters of an answer in a finding


def require_described(document, server, *, exceptions, paths="", login=None):
    """Raise AssertionError with all that Schemathesis finds wrong with an OpenAPI document.

    exceptions: {pattern: why a finding with it is none}. paths: a pattern of those to ask.
    login: the user name and password that each request is sent with; none for the public.
    """
    config = schemathesis.Config.from_dict(configured(server, login))
    schema = schemathesis.openapi.from_dict(with_forms(document), config=config)
    schema = schema.include(path_regex=paths)
    found = {}

    @schema.hook
    def filter_failure(context, failure, case, response):
        text = told(failure, case, response)
        if not any(re.search(pattern, text) for pattern in exceptions):
            found.setdefault((failure.operation, failure.title, failure._unique_key), text)
        return False  # else the engine would leave the operation

    for event in engine.from_schema(schema).execute():
        if error := getattr(event, "value", None):
            found[event.label, repr(error)] = f"{event.label}: {error!r}"
    assert not found, "\n\n".join(found.values())


def with_forms(document):
    """Return a document that describes forms as well, which it says in words only."""
    document = json.loads(json.dumps(document))
    for operation in (found for path in document["paths"].values() for found in path.values()):
        content = operation.get("requestBody", {}).get("content", {})
        if described := content.get("application/json"):
            content |= {form: {"schema": described["schema"]} for form in FORMS}
    return document


def configured(server, login):
    few = {"coverage": {"enabled": False}, "stateful": {"enabled": False}}
    return {
        "base-url": server,
        "seed": 1,
        "workers": 1,
        "cache": {"enabled": False},
        "suppress-health-check": ["all"],
        "auth": {"basic": {"username": login[0], "password": login[1]}} if login else {},
        "phases": rounds(few, {}),
        "generation": {"max-examples": rounds(2, 30), "no-shrink": True},
    }


def told(failure, case, response):
    return "\n".join(
        [
            f"{failure.operation}: {failure.title}",
            failure.message,
            case.as_curl_command(),
            "authorized" if "Authorization" in response.request.headers else "anonymous",
            f"{response.status_code} {response.text[:LONGEST]}",
        ]
    )
