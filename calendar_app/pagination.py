"""Pages of a list: ``page``, ``per_page``, and the envelope around the records."""

from django.core.cache import cache
from rest_framework.pagination import BasePagination
from rest_framework.response import Response

from . import shapes
from .conf import conf
from .exceptions import InvalidParams, NotFound

# Beyond this no list has a page; a larger number would not fit into a database's OFFSET.
LONGEST = 12
LAST_PAGE = 10**LONGEST


class ArchivePagination(BasePagination):
    """Pages that end: one past the last is 404, except for an empty first page."""

    def paginate_queryset(self, queryset, request, view=None):
        self.request, self.view = request, view
        params = request.query_params
        self.page = positive("page", params.get("page", "1"))
        ordinary, most = view.page_sizes()
        self.per_page = min(positive("per_page", params.get("per_page", str(ordinary))), most)
        self.total = self._total(queryset)
        self.total_pages = -(-self.total // self.per_page)
        if self.page > max(self.total_pages, 1):
            return self.past_the_end()
        start = (self.page - 1) * self.per_page
        # The IDs come from the index alone, so that a deep page reads no row it does not show.
        return list(queryset.values_list("pk", flat=True)[start : start + self.per_page])

    def past_the_end(self):
        kind = self.view.kind
        raise NotFound(
            f"Page {self.page} is past the last page, {max(self.total_pages, 1)}.",
            code=f"{kind}-archive-page-not-found",
        )

    def get_paginated_response(self, data):
        address = self.view.urls.absolute(self.request.path)
        envelope = {self.view.collection: data, "rest_url": self._url(address, None)}
        if self.page < self.total_pages:
            envelope["next_rest_url"] = self._url(address, self.page + 1)
        if self.page > 1:
            envelope["previous_rest_url"] = self._url(address, self.page - 1)
        envelope |= {"total": self.total, "total_pages": self.total_pages}
        headers = {"X-TEC-Total": str(self.total), "X-TEC-TotalPages": str(self.total_pages)}
        links = [("next", "next_rest_url"), ("prev", "previous_rest_url")]
        found = [f'<{envelope[key]}>; rel="{rel}"' for rel, key in links if key in envelope]
        if found:
            headers["Link"] = ", ".join(found)
        return Response(envelope, headers=headers)

    def get_schema_operation_parameters(self, view):
        return [
            _parameter("page", "The page of the list.", 1),
            _parameter(
                "per_page",
                f"Records per page; more than {conf.MAX_PER_PAGE} is {conf.MAX_PER_PAGE}.",
                conf.PER_PAGE,
            ),
        ]

    def get_paginated_response_schema(self, schema):
        items = schema["items"]
        if self.view.collection == "events":
            items = {"anyOf": [items, shapes.TOMBSTONE]}
        return shapes.envelope(self.view.collection, items)

    def _total(self, queryset):
        key = self.view.cache_key("total", without=("page", "per_page", "_fields"))
        return cache.get_or_set(key, queryset.order_by().count, conf.CACHE_SECONDS)

    def _url(self, address, page):
        params = self.request.query_params.copy()
        if page:
            params["page"] = page
        # A space as RFC 3986 has it: "+" is one in forms only, and a plus sign elsewhere.
        return f"{address}?{params.urlencode().replace('+', '%20')}" if params else address


class TermPagination(ArchivePagination):
    """Pages of categories and tags: one past the last is an empty list."""

    def past_the_end(self):
        return []


def positive(name, text):
    """Return text as a whole number from 1 up; raises InvalidParams naming the parameter."""
    digits = text.lstrip("0")
    if not (digits.isascii() and digits.isdigit()):
        raise InvalidParams(
            {name: f"'{text[:50]}' is not what {name} accepts: a whole number from 1 up."}
        )
    return int(digits) if len(digits) <= LONGEST else LAST_PAGE


def _parameter(name, description, default):
    schema = {"type": "integer", "minimum": 1, "default": default}
    return {"name": name, "in": "query", "description": description, "schema": schema}
