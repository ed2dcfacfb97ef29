"""The space of storages, which is read in threads: a disk that hangs must not hold up the rest."""

import threading
import time
from collections.abc import Iterable

from ..exceptions import InvalidEngine
from ..models import Storage
from . import storages

TIMEOUT = 2  # seconds, for all storages together
_lock = threading.Lock()
_unanswered: dict[int, "SpaceReader"] = {}  # by the ID of the storage


class SpaceReader(threading.Thread):
    """Reads the space of a storage; ``space`` is empty as long as it is unknown."""

    def __init__(self, storage: Storage, used: int) -> None:
        super().__init__(daemon=True)  # one that hangs does not keep the process from ending
        self.storage, self.used = storage, used
        self.space: dict[str, int | None] = {}

    def run(self) -> None:
        try:
            self.space = storages.space(self.storage, self.used)
        except InvalidEngine:
            pass  # the settings no longer declare the zone's engine
        finally:
            _unanswered.pop(self.storage.pk, None)


def readers(found: Iterable[Storage], used: dict[int, int]) -> list[SpaceReader]:
    """Return for each storage a thread that has read its space, or has not within the time.

    ``used`` has the bytes of the backups in a storage, by its ID.
    """
    started = [_reader(storage, used.get(storage.pk, 0)) for storage in found]
    until = time.monotonic() + TIMEOUT
    for reader in started:
        reader.join(max(0, until - time.monotonic()))
    return started


def _reader(storage: Storage, used: int) -> SpaceReader:
    """Return a thread that reads the space: the last one, as long as it has no answer."""
    with _lock:
        reader = _unanswered.get(storage.pk)
        if reader is None:
            reader = _unanswered[storage.pk] = SpaceReader(storage, used)
            reader.start()
        return reader
