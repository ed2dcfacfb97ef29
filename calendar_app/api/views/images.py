from rest_framework.response import Response
from rest_framework.viewsets import GenericViewSet

from ... import permissions
from ...conf import conf
from ...exceptions import RecordNotFound
from ...models import Image
from ...services import images
from ..caching import ConditionalMixin
from ..parsers import MultiPartParser
from ..serializers import ImageSerializer
from .base import CalendarView
from .writing import WritingMixin, creates

FORM_BYTES = 100_000  # of the form besides the file


class ImageViewSet(WritingMixin, ConditionalMixin, CalendarView, GenericViewSet):
    """Stores uploaded images, and returns those that the caller may see by ID."""

    queryset = Image.objects.all()
    collection = "images"
    serializer_class = ImageSerializer
    parser_classes = [MultiPartParser]

    @property
    def max_body_bytes(self):
        return conf.IMAGE_MAX_BYTES + FORM_BYTES

    @creates
    def create(self, request):
        self.require(permissions.may_write(request.user, Image), "upload images")
        serializer = self.get_serializer(data=self.body())
        serializer.is_valid(raise_exception=True)
        image = serializer.save(finish=lambda image: self.finish(self._answer(image, status=201)))
        return self._answer(image, status=201)

    def retrieve(self, request, pk):
        return self._answer(self._find(pk))

    def get_serializer_context(self):
        return {**super().get_serializer_context(), "urls": self.urls}

    def _find(self, pk):
        image = images.visible_to(self.request.user).filter(pk=pk).first()
        if image is None:
            raise RecordNotFound("image", pk)
        return image

    def _answer(self, image, status=200):
        return Response(self.get_serializer(image).data, status=status)
