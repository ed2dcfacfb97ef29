"""Parameters and answers of the operations on zones, storages and pools."""

from rest_framework import serializers

from ...models import Client
from .answer import Answer
from .fields import NumberField, OptionalTextField, Options


class GetPool(Options):
    getstorage = OptionalTextField(
        "Name of the pool's storage, to get its data as well.", max_length=50
    )


class SavePool(Options):
    """Parameters that are left out keep their value if the pool exists."""

    name = serializers.CharField(max_length=100, help_text="Name of the pool.")
    storage = serializers.CharField(
        required=False,
        max_length=50,
        help_text="Name of the storage; the first one for a new pool without it.",
    )
    retention_days = NumberField(
        required=False,
        min_value=1,
        max_value=36_500,
        help_text="Number of days that backups are kept.",
    )
    keep_full = NumberField(
        required=False,
        min_value=1,
        max_value=10_000,
        help_text="Number of full backups kept per client, however old they are.",
    )
    quota_bytes = NumberField(
        required=False,
        allow_null=True,
        min_value=0,
        max_value=2**63 - 1,
        help_text="Most bytes that backups may take; empty or null for no limit.",
    )


# --- Answers ---


class ZoneAnswer(Answer):
    name = serializers.CharField()
    title = serializers.CharField(allow_blank=True)
    engine = serializers.CharField()


class Zones(Answer):
    zones = ZoneAnswer(many=True)


class StorageAnswer(Answer):
    name = serializers.CharField(source="storage.name")
    zone = serializers.CharField(source="storage.zone.name")
    kind = serializers.CharField(source="storage.kind")
    path = serializers.CharField(source="storage.path", allow_blank=True)
    capacity = serializers.IntegerField(allow_null=True)
    used = serializers.IntegerField()
    free = serializers.IntegerField(allow_null=True)
    pools = serializers.ListField(child=serializers.CharField())


class Storages(Answer):
    storages = StorageAnswer(many=True)


class SupportedSystem(Answer):
    system = serializers.ChoiceField(Client.System.choices)
    name = serializers.CharField()
    engine = serializers.CharField()
    notes = serializers.CharField(allow_blank=True)


class SupportedSystems(Answer):
    systems = SupportedSystem(many=True)


class PoolAnswer(Answer):
    name = serializers.CharField(source="pool.name")
    storage = serializers.CharField(source="pool.storage.name")
    zone = serializers.CharField(source="pool.storage.zone.name")
    retention_days = serializers.IntegerField(source="pool.retention_days")
    keep_full = serializers.IntegerField(source="pool.keep_full")
    quota_bytes = serializers.IntegerField(source="pool.quota_bytes", allow_null=True)
    used_bytes = serializers.IntegerField()
    jobs = serializers.IntegerField(help_text="Number of backups that can be read.")
    storage_data = StorageAnswer(required=False)
