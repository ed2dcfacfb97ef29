"""The backup API against its own description: no server error, no answer of another shape."""

import base64

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks

from backup_app import keys

from .world import ENGINE, PASSWORD, make_world

pytestmark = pytest.mark.django_db
CHECKS = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
    checks.response_headers_conformance,
]

described = schemathesis.openapi.from_dict(SchemaGenerator().get_schema(request=None, public=True))
described.app = get_wsgi_application()
OPERATIONS = [
    operation
    for operation in (result.ok() for result in described.get_all_operations())
    if operation.path.startswith("/api/")
]
varied = settings(
    max_examples=4, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
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
def account(settings):
    """An account, with records whose names are told by ``known``."""
    settings.BACKUP_ENGINES = ENGINE
    return make_world()["a"]


def known(things):
    """Return what parts of a path can be, so that what they name is there."""
    return {
        "job_id": things.job,
        "node_id": things.node,
        "client_ip": things.ip,
        "server_ip": things.ip,
        "client_name": things.client,
        "pool_name": things.pool,
        "system": "unix",
        "level": "full",
        "chunk": 0,
    }


@pytest.mark.parametrize("is_there", [True, False], ids=["known", "any"])
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.label)
def test_answers_are_as_described(operation, is_there, account):
    _, key = keys.make(account.account)
    headers = authorization(account.login, key)
    names = known(account.things)

    @varied
    @given(case=operation.as_strategy())
    def check(case):
        if is_there:
            case.path_parameters |= {n: names[n] for n in case.path_parameters if n in names}
        case.call_and_validate(headers=headers, checks=CHECKS)

    check()


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.label)
def test_refusals_are_as_described(operation, account):
    @settings(varied, max_examples=1)
    @given(case=operation.as_strategy())
    def check(case):
        for login, password in ((account.things.login, PASSWORD), ("nobody", "wrong")):
            case.call_and_validate(headers=authorization(login, password), checks=CHECKS)

    check()


def authorization(login, password):
    token = base64.b64encode(f"{login}:{password}".encode()).decode()
    return {"Authorization": f"Basic {token}"}


def test_all_operations_are_described():
    assert len(OPERATIONS) == 36
