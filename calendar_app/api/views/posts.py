"""The base of the viewsets, and that of events, venues and organizers."""

from functools import partial

from django_filters.rest_framework import DjangoFilterBackend
from rest_framework.exceptions import ValidationError
from rest_framework.response import Response
from rest_framework.viewsets import GenericViewSet

from ... import permissions
from ...conf import conf
from ...exceptions import Forbidden, Gone, RecordNotFound
from ...services import posts
from ...services.revision import with_revision
from .. import fragments, representations
from ..caching import ConditionalMixin
from ..filters import changes
from ..pagination import ArchivePagination
from .base import CalendarView
from .writing import WritingMixin, creates, writes


class CollectionViewSet(WritingMixin, ConditionalMixin, CalendarView, GenericViewSet):
    """GET of a collection. ``collection`` is the key of the list, ``kind`` the name of a record."""

    filter_backends = [DjangoFilterBackend]

    def get_queryset(self):
        return self.model.objects.all()

    def list(self, request):
        queryset = self.filter_queryset(self.get_queryset())
        return self.answer(self.paginate_queryset(queryset))

    def page_sizes(self):
        """Return the default and the maximum number of records on a page."""
        return conf.PER_PAGE, conf.MAX_PER_PAGE

    def fetch(self, ids):
        """Return the records with these IDs, in this order, with all that a response shows."""
        return representations.fetch(self.model, ids, self.request.user)

    def get_serializer_context(self):
        return {**super().get_serializer_context(), "urls": self.urls, "full": False}

    def answer(self, ids):
        """Return the response with a page of the records with these IDs."""
        if self.is_public and "_fields" not in self.request.query_params:
            return self.get_paginated_response(fragments.page(self, ids, self.represent))
        return self.get_paginated_response(self.represent(ids))

    def represent(self, ids):
        """Return what the caller may see of the records with these IDs, as a list of dicts."""
        return self.get_serializer(self.fetch(ids), many=True).data

    def filter_queryset(self, queryset):
        """Apply the parameters. Raises ValidationError for all that are invalid."""
        query = self.request.query_params
        self.filters = self.filterset_class(query, queryset, request=self.request)
        errors = {**self.paginator.read(self.request, self), **self.filters.errors}
        if errors:
            raise ValidationError(errors)
        return self.filters.qs

    def lost(self):
        """Return the tombstones that the list includes, or None."""
        return

    def write(self, record, answer):
        """Store the valid body as a new record, or in this one; return answer(record)."""
        serializer = self.get_serializer(record, data=self.body(), partial=bool(record))
        serializer.is_valid(raise_exception=True)
        return self.carry_out(lambda: answer(serializer.save()))


class PostViewSet(CollectionViewSet):
    """Lists, reads, creates, updates and trashes records, by ID and by slug.

    POST, PUT and PATCH on a record are the same: they change the fields in the body.
    """

    pagination_class = ArchivePagination
    depends_on_time = True

    def lost(self):
        return changes.lost(self.filters)

    def retrieve(self, request, **address):
        return self._record(self.readable(**address))

    @creates
    def create(self, request):
        self.require(permissions.may_write(request.user, self.model), f"create {self.collection}")
        return self.write(None, partial(self._answer, status=201))

    @writes
    def update(self, request, **address):
        record = self.writable(permissions.may_edit, "change", **address)
        if record.is_trashed and "status" not in request.data:
            raise Gone(self.kind, record.pk)
        return self.write(record, self._answer)

    partial_update = post_update = update

    @writes
    def destroy(self, request, **address):
        record = self.writable(permissions.may_delete, "delete", **address)
        return self.carry_out(lambda: self._trash(record))

    def find(self, records, pk=None, slug=None):
        """Return the record with this ID, or the one with this slug that the caller may read.

        A 403 for a slug would confirm a guess at the title of a record that is not public.
        """
        if slug is None:
            found = records.filter(pk=pk).first()
        else:
            records = records.visible_to(self.request.user)
            # PostgreSQL rejects text with a NUL, even in a search.
            found = records.filter(slug=slug.replace("\0", "?")).first()
        if found is None:
            raise RecordNotFound(self.kind, f"'{slug or pk}'")
        return found

    def readable(self, **address):
        record = self.find(self.model.objects, **address)
        if record.is_trashed:
            raise Gone(self.kind, record.pk)
        if not permissions.may_read(self.request.user, record):
            raise Forbidden(
                f"The {self.kind} {record.pk} is not public.", code=f"{self.kind}-not-accessible"
            )
        return representations.load([record], self.request.user)[0]

    def writable(self, may, verb, **address):
        user = self.request.user
        self.require(permissions.may_write(user, self.model), f"{verb} {self.collection}")
        record = self.find(with_revision(self.model.objects.all()), **address)
        self.require(may(user, record), f"{verb} the {self.kind} {record.pk}")
        return record

    def _trash(self, record):
        posts.trash(record)
        return self._answer(record)

    def _answer(self, record, status=200):
        """Answer a write with what was written, as a list would show it."""
        [shown] = representations.load([record], self.request.user)
        return self._record(shown, status=status, full=False)

    def _record(self, record, status=200, full=True):
        context = {**self.get_serializer_context(), "full": full}
        return Response(self.serializer_class(record, context=context).data, status=status)
