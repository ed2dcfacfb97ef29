"""The space of storages."""

from ..models import Storage
from ..services import storages
from ..services.reports import storage_space
from .families import gauge

LABELS = ["storage", "zone"]


def families():
    """Yield the metrics of all storages, with two queries."""
    found = list(Storage.objects.select_related("zone"))
    used = storages.used_bytes(found)
    names = [(storage.name, storage.zone.name) for storage in found]
    readers = dict(zip(names, storage_space.readers(found, used), strict=True))
    for number, description in {
        "capacity": "Bytes that a storage can hold: its own limit, or else its disk.",
        "free": "Bytes that a storage still has space for.",
    }.items():
        values = {labels: reader.space.get(number) for labels, reader in readers.items()}
        yield gauge(f"backup_storage_{number}_bytes", description, LABELS, values)
    yield gauge(
        "backup_storage_stored_bytes",
        "Bytes that good backups take in a storage.",
        LABELS,
        {labels: used.get(reader.storage.pk, 0) for labels, reader in readers.items()},
    )
    yield gauge(
        "backup_storage_responsive",
        f"0 if a storage did not say within {storage_space.TIMEOUT} seconds how much space it has.",
        LABELS,
        {labels: not reader.is_alive() for labels, reader in readers.items()},
    )
