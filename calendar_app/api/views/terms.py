from functools import partial

from rest_framework.response import Response

from ... import permissions
from ...exceptions import RecordNotFound
from ...models import Category, Tag
from ...services import terms
from ..filters.term import CategoryFilterSet, TagFilterSet
from ..pagination import TermPagination
from ..serializers import CategorySerializer, TagSerializer
from .posts import CollectionViewSet
from .writing import creates, writes


class TermViewSet(CollectionViewSet):
    """Lists, reads, creates, updates and deletes terms, by ID."""

    pagination_class = TermPagination

    def retrieve(self, request, pk):
        return self._term(self.find(pk))

    @creates
    def create(self, request):
        self._require_right("add", "create")
        return self.write(None, partial(self._term, status=201))

    @writes
    def update(self, request, pk):
        self._require_right("change", "change")
        return self.write(self.find(pk), self._term)

    partial_update = post_update = update

    @writes
    def destroy(self, request, pk):
        self._require_right("delete", "delete")
        term = self.find(pk)
        return self.carry_out(lambda: self._delete(term))

    def find(self, pk):
        found = self.model.objects.filter(pk=pk).first()
        if found is None:
            raise RecordNotFound(self.kind, pk)
        return found

    def _require_right(self, right, verb):
        allowed = permissions.has(self.request.user, right, self.model)
        self.require(allowed, f"{verb} {self.collection}")

    def _delete(self, term):
        response = self._term(term)
        response.data = {**response.data}  # rendered before the term is deleted
        terms.delete(term)
        return response

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
