"""What every operation accepts."""

from rest_framework import serializers


class Options(serializers.Serializer):
    """Parameters of an operation; those that it does not know are ignored."""

    subuser = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=100,
        help_text="Login of a subuser: limits the operation to the clients granted to it.",
    )
