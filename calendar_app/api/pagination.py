"""Pages of a list: ``page``, ``per_page``, and the envelope around the records."""

from rest_framework.exceptions import ValidationError
from rest_framework.pagination import BasePagination
from rest_framework.response import Response

from ..conf import conf
from ..exceptions import NotFound
from ..models import Post
from . import representations, schemas, totals
from .errors import shown
from .filters import page_ids, window

# No list has so many pages, and a larger number would not fit into a database's OFFSET.
MAX_DIGITS = 12
MAX_PAGE = 10**MAX_DIGITS


class ArchivePagination(BasePagination):
    """Pages of records: one past the last is 404, except for an empty first page."""

    def read(self, request, view):
        """Read page and per_page; return their errors as {parameter: [sentence]}."""
        self.request, self.view = request, view
        default, maximum = view.page_sizes()
        numbers, errors = {"page": 1, "per_page": default}, {}
        for name in numbers:
            if name in request.query_params:
                try:
                    numbers[name] = positive(name, request.query_params[name])
                except ValidationError as e:
                    errors[name] = e.detail
        self.page, self.per_page = numbers["page"], min(numbers["per_page"], maximum)
        return errors

    def paginate_queryset(self, queryset, request, view=None):
        """Return the IDs of the requested page; ``read`` comes first.

        Tombstones come before records, so that a mirror removes a record before it stores another
        that may have its slug now.
        """
        self.tombstones = ()
        lost = view.lost()
        gone = 0 if lost is None else totals.exact(lost, view.revision)
        found = totals.quick(queryset, view.revision)
        view.is_provisional = not found.is_exact
        self._count(gone + found.number)
        if found.is_exact and self.page > max(self.total_pages, 1):
            return self.past_the_end()
        start = (self.page - 1) * self.per_page
        if start < gone:
            self.tombstones = list(lost[start : start + self.per_page])
        number, start = self.per_page - len(self.tombstones), max(start - gone, 0)
        if found.is_exact and not found.number:
            return []
        if found.is_exact:
            return page_ids.read(self.view.filters, queryset, start, start + number)
        ids = page_ids.read(self.view.filters, queryset, start, start + number + 1)
        self._count(gone + _possible(found.number, start, len(ids), number))
        return ids[:number] if ids or start == 0 else self.past_the_end()

    def _count(self, total):
        self.total, self.total_pages = total, -(-total // self.per_page)

    def past_the_end(self):
        kind = self.view.kind
        raise NotFound(
            f"Page {self.page} is past the last page, {max(self.total_pages, 1)}.",
            code=f"{kind}-archive-page-not-found",
        )

    def get_paginated_response(self, data):
        params = self.request.query_params.copy()
        for name, text in window.settled(self.view.filters).items():
            params[name] = text
        gone = [representations.tombstone(each, self.view.urls) for each in self.tombstones]
        envelope = {self.view.collection: [*gone, *data], "rest_url": self._url(params)}
        if self.page < self.total_pages:
            envelope["next_rest_url"] = self._url(params, self.page + 1)
        if self.page > 1:
            envelope["previous_rest_url"] = self._url(params, self.page - 1)
        envelope |= {"total": self.total, "total_pages": self.total_pages}
        headers = {"X-TEC-Total": str(self.total), "X-TEC-TotalPages": str(self.total_pages)}
        links = [("next", "next_rest_url"), ("prev", "previous_rest_url")]
        found = [f'<{envelope[key]}>; rel="{rel}"' for rel, key in links if key in envelope]
        if found:
            headers["Link"] = ", ".join(found)
        return Response(envelope, headers=headers)

    def get_schema_operation_parameters(self, view):
        return [
            _parameter("page", "Page of the list.", 1),
            _parameter(
                "per_page",
                f"Records per page, {conf.MAX_PER_PAGE} at most.",
                conf.PER_PAGE,
            ),
        ]

    def get_paginated_response_schema(self, schema):
        items = schema["items"]
        if issubclass(self.view.model, Post):
            items = {"anyOf": [items, schemas.TOMBSTONE]}
        return schemas.envelope(self.view.collection, items)

    def _url(self, params, page=None):
        if page:
            params["page"] = page
        address = self.view.urls.absolute(self.request.path)
        # "%20" (RFC 3986): "+" means a space only in forms, and a plus sign elsewhere.
        return f"{address}?{params.urlencode().replace('+', '%20')}" if params else address


class TermPagination(ArchivePagination):
    """Pages of categories and tags: one past the last is an empty list."""

    def past_the_end(self):
        return []


def _possible(total, start, found, wanted):
    """Return the total that is nearest to an estimate, and agrees with a page from start.

    On it, found records were found when wanted + 1 were asked for, so that its next page exists
    if and only if there is a link to it.
    """
    if found > wanted:
        return max(total, start + found)
    return start + found if found else min(total, start)


def positive(name, text):
    """Return text as a whole number of 1 or more. Raises ValidationError."""
    digits = text.lstrip("0")
    if not (digits.isascii() and digits.isdigit()):
        raise ValidationError(f"{name} must be a whole number of 1 or more, not {shown(text)}.")
    return int(digits) if len(digits) <= MAX_DIGITS else MAX_PAGE


def _parameter(name, description, default):
    schema = {"type": "integer", "minimum": 1, "default": default}
    return {"name": name, "in": "query", "description": description, "schema": schema}
