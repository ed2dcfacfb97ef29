"""Parameters of the operations about clients."""

from rest_framework import serializers

from .options import Options


class GenerateConfig(Options):
    """What is not given of an existing client stays as it is."""

    name = serializers.CharField(max_length=100, help_text="Name of the client.")
    IP = serializers.CharField(
        source="ip",
        required=False,
        max_length=45,
        help_text="IP address; required for a new client.",
    )
    internalip = serializers.CharField(
        source="internal_ip",
        required=False,
        allow_blank=True,
        max_length=45,
        help_text="Internal IP address.",
    )
    password = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=1000,
        trim_whitespace=False,
        write_only=True,
        help_text="Root's password, to install the server's key with; it is not stored.",
    )
    fileset = serializers.CharField(
        required=False, max_length=100, help_text="Name of the fileset."
    )
    pool = serializers.CharField(required=False, max_length=100, help_text="Name of the pool.")
    zone = serializers.CharField(required=False, max_length=50, help_text="Name of the zone.")
    schedule = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=100,
        help_text="Cron expression; empty for the fileset's.",
    )
