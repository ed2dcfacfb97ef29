"""The pages of the admin, as a test fills them in and reads what they answer."""

from django.urls import reverse


def add(client, model, sent):
    return client.post(reverse(f"admin:backup_app_{model._meta.model_name}_add"), sent)


def change(client, record, sent):
    name = record._meta.model_name
    return client.post(reverse(f"admin:backup_app_{name}_change", args=[record.pk]), sent)


def done(response):
    assert response.status_code == 302, errors(response)


def errors(response):
    """Return the sentences by field."""
    assert response.status_code == 200, response.headers
    return response.context["adminform"].form.errors


def said(client, response):
    """Return the messages on the page that a response leads to."""
    page = client.get(response.url)
    return [str(message) for message in page.context["messages"]]


def act(client, action, record):
    """Do an action to one record of its list."""
    address = reverse(f"admin:backup_app_{record._meta.model_name}_changelist")
    return client.post(address, {"action": action, "_selected_action": [record.pk]})


def press(client, action, record):
    """Press the button of an action on the page of a record."""
    name = record._meta.model_name
    address = reverse(f"admin:backup_app_{name}_act", args=[record.pk])
    return client.post(address, {"action": action})
