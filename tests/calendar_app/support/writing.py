"""What the tests of writes share."""

from .api_client import P, client_of

NEW = {"title": "Fair", "start_date": "2027-03-01 10:00", "end_date": "2027-03-01 12:00"}


def create(collection, fields, client=None, role="Editor"):
    """Return the answer to a POST of fields on a collection, as a new user of the role."""
    return (client or client_of(role=role)).post(f"{P}/{collection}", fields)


def create_event(client=None, role="Editor", **fields):
    return create("events", {**NEW, **fields}, client, role)


def change(record, fields, client=None, role="Editor"):
    """Return the answer to a PATCH of a record with fields, as a new user of the role."""
    collection = {"category": "categories"}.get(
        record._meta.model_name, f"{record._meta.model_name}s"
    )
    return (client or client_of(role=role)).patch(f"{P}/{collection}/{record.pk}", fields)


def change_event(record, client=None, role="Editor", **fields):
    return change(record, fields, client, role)


def refused(answer, status=400, code="rest_invalid_param"):
    """Return the sentences of a refusal by parameter, or its names of missing ones."""
    body = answer.json()
    assert (answer.status_code, body["code"]) == (status, code), body
    return body["data"].get("params")
