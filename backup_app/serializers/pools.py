"""Parameters of the operations about pools."""

from rest_framework import serializers

from .fields import NumberField
from .options import Options


class GetPool(Options):
    getstorage = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=50,
        help_text="The name of the pool's storage, whose data is then told as well.",
    )


class SavePool(Options):
    """What is not given of an existing pool stays as it is."""

    name = serializers.CharField(max_length=100)
    storage = serializers.CharField(
        required=False, max_length=50, help_text="A new pool is on the first one without it."
    )
    retention_days = NumberField(required=False, min_value=1, max_value=36_500)
    keep_full = NumberField(required=False, min_value=1, max_value=10_000)
    quota_bytes = NumberField(
        required=False,
        allow_null=True,
        min_value=0,
        max_value=2**63 - 1,
        help_text="Empty or null is no limit.",
    )
