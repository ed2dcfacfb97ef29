"""A client of the API, as a user of a role or as the public."""

from rest_framework.test import APIClient

from .factories import UserFactory

P = "/calendar/events/v1"
ALL = {"start_date": "1999-01-01", "end_date": "9999-12-31"}  # a window of all events


def client_of(user=None, role=None):
    """Return a client that sends JSON as user, as a new user in the group role, or as nobody."""
    client = APIClient()
    client.default_format = "json"
    if user or role:
        client.force_authenticate(user or UserFactory(role=role))
    return client


def get(path, params=None, client=None, **headers):
    """Return the answer to a GET below the namespace."""
    return (client or client_of()).get(f"{P}{path}", params, headers=headers)
