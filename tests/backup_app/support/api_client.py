"""A client of the API that logs in as an account or a subuser does."""

import base64

from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from backup_app.accounts import api_keys


def client_of(account):
    """Return a client with a new API key of an account."""
    _, text = api_keys.make(account)
    return client_with(account.email, text)


def client_with(login, password):
    """Return a client that sends these credentials with each request, and forms as curl does."""
    client = APIClient()
    token = base64.b64encode(f"{login}:{password}".encode()).decode()
    client.credentials(HTTP_AUTHORIZATION=f"Basic {token}", HTTP_ACCEPT="application/json")
    client.default_format = "json"
    return client


def queries_of(call):
    """Return how many queries a call takes when it is not the first: that one notes the login."""
    call()
    with CaptureQueriesContext(connection) as found:
        call()
    return len(found)


def refused(response, status):
    """Return the sentence of a refusal, whose body has what every refusal's has."""
    assert response.status_code == status, response.content
    body = response.json()
    assert set(body) == {"error", "code", "fields"}
    return body["error"]


def refusal(response):
    """Return the status and the sentence of a refusal."""
    return response.status_code, response.json()["error"]


def job_ids(response):
    """Return the IDs of the jobs that an answer lists."""
    assert response.status_code == 200, response.content
    return [job["job_id"] for job in response.json()["jobs"]]
