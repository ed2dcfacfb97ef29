"""The space of storages, read in threads: a disk that hangs must not hold up the rest."""

import threading
import time
from collections.abc import Iterable

from django.db import connections

from ...engines import get_engine
from ...exceptions import BackupError, InvalidEngine
from ...models import Storage
from .. import storages

TIMEOUT = 2  # seconds, for all storages together
_lock = threading.Lock()
_unanswered: dict[int, "SpaceReader"] = {}  # by the ID of the storage


class SpaceReader(threading.Thread):
    """Reads a storage; ``space`` is empty and ``fault`` None as long as they are unknown."""

    def __init__(self, storage: Storage, used: int, *, faults: bool) -> None:
        super().__init__(daemon=True)  # one that hangs does not keep the process from ending
        self.storage, self.used, self.faults = storage, used, faults
        self.space: dict[str, int | None] = {}
        self.fault: str | None = None

    def run(self) -> None:
        try:
            self.space = storages.space(self.storage, self.used)
            if self.faults:
                self.fault = get_engine(self.storage.zone.engine).storage_fault(self.storage)
        except InvalidEngine:
            pass  # the settings no longer declare the zone's engine
        except BackupError as e:
            self.fault = str(e)
        finally:
            _unanswered.pop(self.storage.pk, None)
            connections.close_all()  # those of this thread


def readers(
    found: Iterable[Storage],
    used: dict[int, int],
    *,
    seconds: float | None = None,
    faults: bool = False,
) -> list[SpaceReader]:
    """Return for each storage a thread that has read its space, or has not within some seconds.

    ``used`` has the bytes of the backups in a storage, by its ID. ``faults`` are read if asked for.
    """
    started = [_reader(storage, used.get(storage.pk, 0), faults) for storage in found]
    until = time.monotonic() + (TIMEOUT if seconds is None else seconds)
    for reader in started:
        reader.join(max(0, until - time.monotonic()))
    return started


def _reader(storage: Storage, used: int, faults: bool) -> SpaceReader:
    """Return a thread that reads the space: the last one, as long as it has no answer."""
    with _lock:
        reader = _unanswered.get(storage.pk)
        if reader is None:
            reader = _unanswered[storage.pk] = SpaceReader(storage, used, faults=faults)
            reader.start()
        return reader
