"""Parameters of the operations about pools."""

from rest_framework import serializers

from .fields import NumberField
from .options import Options


class GetPool(Options):
    getstorage = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=50,
        help_text="Name of the pool's storage, to get its data as well.",
    )


class SavePool(Options):
    """What is not given of an existing pool stays as it is."""

    name = serializers.CharField(max_length=100, help_text="Name of the pool.")
    storage = serializers.CharField(
        required=False,
        max_length=50,
        help_text="Name of the storage; the first one for a new pool without it.",
    )
    retention_days = NumberField(
        required=False, min_value=1, max_value=36_500, help_text="How many days backups are kept."
    )
    keep_full = NumberField(
        required=False,
        min_value=1,
        max_value=10_000,
        help_text="How many full backups of a client are kept, however old.",
    )
    quota_bytes = NumberField(
        required=False,
        allow_null=True,
        min_value=0,
        max_value=2**63 - 1,
        help_text="Most bytes that backups may take; empty or null for no limit.",
    )
