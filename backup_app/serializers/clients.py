"""Parameters of the operations about clients."""

from rest_framework import serializers

from .options import Options


class GenerateConfig(Options):
    """What is not given of an existing client stays as it is."""

    name = serializers.CharField(max_length=100)
    IP = serializers.CharField(
        source="ip", required=False, max_length=45, help_text="A new client needs one."
    )
    internalip = serializers.CharField(
        source="internal_ip", required=False, allow_blank=True, max_length=45
    )
    password = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=1000,
        trim_whitespace=False,
        write_only=True,
        help_text="Of root, to install our key where the operator allows it; kept nowhere.",
    )
    fileset = serializers.CharField(required=False, max_length=100)
    pool = serializers.CharField(required=False, max_length=100)
    zone = serializers.CharField(required=False, max_length=50)
    schedule = serializers.CharField(
        required=False, allow_blank=True, max_length=100, help_text="A cron expression, or empty."
    )
