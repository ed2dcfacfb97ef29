from rest_framework.response import Response
from rest_framework.viewsets import GenericViewSet

from ... import permissions
from ...exceptions import RecordNotFound
from ...models import Category, Tag
from ...services import terms
from ..filters import CategoryFilterSet, TagFilterSet
from ..pagination import TermPagination
from ..serializers import CategorySerializer, TagSerializer
from .base import CalendarView
from .posts import ListMixin


class TermViewSet(ListMixin, CalendarView, GenericViewSet):
    """Lists, reads, creates, updates and deletes terms, by ID."""

    pagination_class = TermPagination

    def get_queryset(self):
        return self.model.objects.all()

    def retrieve(self, request, pk):
        return self.conditional(request, lambda: self._term(self.find(pk)))

    def create(self, request):
        self.require(permissions.has(request.user, "add", self.model), f"create {self.collection}")
        return self._write(None, status=201)

    def update(self, request, pk):
        self.require(
            permissions.has(request.user, "change", self.model), f"change {self.collection}"
        )
        return self._write(self.find(pk), status=200)

    partial_update = post_update = update

    def destroy(self, request, pk):
        self.require(
            permissions.has(request.user, "delete", self.model), f"delete {self.collection}"
        )
        term = self.find(pk)
        response = self._term(term)
        response.data = {**response.data}  # rendered before the term is deleted
        terms.delete(term)
        return response

    def find(self, pk):
        found = self.model.objects.filter(pk=pk).first()
        if found is None:
            raise RecordNotFound(self.kind, pk)
        return found

    def _write(self, term, status):
        serializer = self.get_serializer(term, data=self.request.data, partial=bool(term))
        serializer.is_valid(raise_exception=True)
        return self._term(serializer.save(), status)

    def _term(self, term, status=200):
        return Response(self.get_serializer(term).data, status=status)


class CategoryViewSet(TermViewSet):
    model = Category
    kind, collection = "category", "categories"
    serializer_class = CategorySerializer
    filterset_class = CategoryFilterSet


class TagViewSet(TermViewSet):
    model = Tag
    kind, collection = "tag", "tags"
    serializer_class = TagSerializer
    filterset_class = TagFilterSet
