"""The whole API against its own description: no server error, no answer of another shape."""

import base64

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks

from calendar_app import description

from .client import P
from .factories import (
    CategoryFactory,
    EventFactory,
    OrganizerFactory,
    TagFactory,
    UserFactory,
    VenueFactory,
)

CHECKS = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
]


pytestmark = pytest.mark.django_db

described = schemathesis.openapi.from_dict(description.openapi(P))
described.app = get_wsgi_application()
OPERATIONS = [result.ok() for result in described.get_all_operations()]
varied = settings(
    max_examples=5, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)


@pytest.fixture(autouse=True)
def open_connection():
    """Keep a request's end from closing the connection that the test's transaction is on."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def filled(db, media):
    """One record of each kind, with the ID 1 where a sequence begins there."""
    category, tag = CategoryFactory(parent=CategoryFactory()), TagFactory()
    EventFactory(
        categories=[category], tags=[tag], venues=[VenueFactory()], organizers=[OrganizerFactory()]
    )
    EventFactory(password="sesame", categories=[category])


@pytest.mark.parametrize("role", ["public", "Editor"])
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.label)
def test_answers_are_as_described(operation, role, filled):
    headers = credentials(role)

    @varied
    @given(case=operation.as_strategy())
    def check(case):
        # A trimmed answer lacks what a whole one is described to have.
        case.query = {name: case.query[name] for name in case.query if name != "_fields"}
        case.call_and_validate(headers=headers, checks=CHECKS)

    check()


def credentials(role):
    if role == "public":
        return {}
    user = UserFactory(role=role)
    token = base64.b64encode(f"{user.username}:secret".encode()).decode()
    return {"Authorization": f"Basic {token}"}
