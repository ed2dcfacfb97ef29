from rest_framework import serializers

from ...services import images
from .. import representations
from .fields import TextField


class ImageSerializer(serializers.Serializer):
    file = serializers.FileField(
        write_only=True,
        help_text="The picture: JPEG, PNG, GIF, WebP or AVIF.",
        error_messages={
            "invalid": "file must be an uploaded file, sent as multipart/form-data.",
            "empty": "The file is empty.",
        },
    )
    title = TextField(
        required=False,
        max_length=images.MAX_TITLE_LENGTH,
        help_text="Title, as plain text; the file name if empty.",
    )

    def create(self, validated_data):
        return images.store(**validated_data, author=self.context["request"].user)

    def to_representation(self, instance):
        return representations.image(instance, self.context["urls"])
