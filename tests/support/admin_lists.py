"""What the lists of the admin show, for both apps."""

from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse


def list_url(model):
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")


def shown(client, model, **query):
    """Return the names that the list of model shows."""
    response = client.get(list_url(model), query)
    assert response.status_code == 200, response.headers
    return [str(record) for record in response.context["cl"].result_list]


def suggested(client, model, field, term=""):
    """Return what a form of model suggests for a field."""
    names = {"app_label": model._meta.app_label, "model_name": model._meta.model_name}
    query = names | {"field_name": field, "term": term}
    return [
        found["text"]
        for found in client.get(reverse("admin:autocomplete"), query).json()["results"]
    ]


def require_constant_queries(client, model, make, at_most):
    """Check that the list takes as many queries for three records as for one."""
    counts = []
    for number in (1, 2):
        for _ in range(number):
            make()
        client.get(list_url(model))  # asks for permissions and content types, once
        with CaptureQueriesContext(connection) as queries:
            response = client.get(list_url(model))
        counts.append(len(queries))
    assert response.context["cl"].result_count >= 3
    assert counts[0] == counts[1] <= at_most
