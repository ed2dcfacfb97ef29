"""The space of storages, which is read in threads: a disk that hangs must not hold up the rest."""

import threading
import time

from ..exceptions import InvalidEngine
from ..models import Storage
from ..services import storages
from .families import gauge

TIMEOUT = 2  # seconds, for all storages together
LABELS = ["storage", "zone"]
_lock = threading.Lock()
_unanswered: dict[int, "SpaceReader"] = {}  # by the ID of the storage


class SpaceReader(threading.Thread):
    """Reads the space of a storage; ``space`` is empty as long as it is unknown."""

    def __init__(self, storage, used):
        super().__init__(daemon=True)  # one that hangs does not keep the process from ending
        self.storage, self.used = storage, used
        self.space = {}

    def run(self):
        try:
            self.space = storages.space(self.storage, self.used)
        except InvalidEngine:
            pass  # the settings no longer declare the zone's engine
        finally:
            _unanswered.pop(self.storage.pk, None)


def families():
    """Yield the metrics of all storages, with two queries."""
    found = list(Storage.objects.select_related("zone"))
    used = storages.used_bytes(found)
    readers = {(it.name, it.zone.name): _reader(it, used.get(it.pk, 0)) for it in found}
    _wait_for(readers.values())
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
        f"0 if a storage did not say within {TIMEOUT} seconds how much space it has.",
        LABELS,
        {labels: not reader.is_alive() for labels, reader in readers.items()},
    )


def _reader(storage, used):
    """Return a thread that reads the space: the last one, as long as it has no answer."""
    with _lock:
        reader = _unanswered.get(storage.pk)
        if reader is None:
            reader = _unanswered[storage.pk] = SpaceReader(storage, used)
            reader.start()
        return reader


def _wait_for(readers):
    until = time.monotonic() + TIMEOUT
    for reader in readers:
        reader.join(max(0, until - time.monotonic()))
