"""What a list gives for a query string, straight from its filterset."""

from django.contrib.auth.models import AnonymousUser
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory


def filtered(filterset_class, query="", user=None):
    """Return the filterset for the query string, bound to a request of user or of the public."""
    request = Request(APIRequestFactory().get(f"/?{query}"))
    request.user = user or AnonymousUser()
    return filterset_class(
        request.query_params, filterset_class._meta.model.objects.all(), request=request
    )


def listed(filterset_class, query="", user=None):
    """Return the records that the query finds, as texts and in order."""
    filterset = filtered(filterset_class, query, user)
    assert filterset.is_valid(), filterset.errors
    return [str(record) for record in filterset.qs]


def refused(filterset_class, query="", user=None):
    """Return the sentences that refuse the query, by the names of the parameters."""
    filterset = filtered(filterset_class, query, user)
    filterset.is_valid()
    return {name: " ".join(sentences) for name, sentences in filterset.errors.items()}
