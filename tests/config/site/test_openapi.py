"""The OpenAPI description as a whole: nothing in it is left without a word or an example."""

import json

import pytest
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.validation import validate_schema

DOCUMENT = SchemaGenerator().get_schema(request=None, public=True)
OPERATIONS = {
    operation["operationId"]: (method, path, operation)
    for path, operations in DOCUMENT["paths"].items()
    for method, operation in operations.items()
}
NO_JSON = {"images_create": "request", "backup_download": "response"}


def resolved(schema):
    """Return a part of the description, or what it refers to."""
    if "$ref" not in schema:
        return schema
    _, *steps = schema["$ref"].split("/")
    found = DOCUMENT
    for step in steps:
        found = found[step]
    return found


def test_the_description_is_valid():
    validate_schema(json.loads(json.dumps(DOCUMENT, default=str)))


def test_all_operations_are_described():
    assert len(OPERATIONS) == 91


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_says_what_it_does(name):
    _, _, operation = OPERATIONS[name]

    assert operation["summary"][0].isupper()
    assert not operation["summary"].endswith(".")
    for parameter in operation.get("parameters", ()):
        assert parameter.get("description"), parameter["name"]
    for media in operation.get("requestBody", {}).get("content", {}).values():
        require_described(resolved(media["schema"]))


def require_described(schema):
    for name, property_ in resolved(schema).get("properties", {}).items():
        assert property_.get("description"), name
        require_described(property_.get("items", {}))


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_shows_an_example_of_each_answer(name):
    _, _, operation = OPERATIONS[name]
    answers = {status: resolved(answer) for status, answer in operation["responses"].items()}

    assert {"401", "429"} <= set(answers)
    for status, answer in answers.items():
        assert answer["description"], status
        media = answer.get("content", {}).get("application/json")
        assert media is None or media["examples"], status


@pytest.mark.parametrize("name", OPERATIONS)
def test_only_public_reads_need_no_credentials(name):
    method, path, operation = OPERATIONS[name]

    is_public = method == "get" and "/calendar/" in path
    assert ({} in operation["security"]) == is_public
    assert {"backupAuth": []} in operation["security"] or "/calendar/" in path
