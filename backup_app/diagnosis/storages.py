"""Each storage: its mark, and the space that is left."""

import os
from collections.abc import Iterator
from pathlib import Path

from ..conf import conf
from ..engines import get_engine
from ..exceptions import InvalidEngine
from ..lib.formatting import size
from ..models import Storage
from ..services import storages
from ..services.reports import storage_space
from .finding import Finding, failed, ok, skipped

SECONDS = 10  # that all storages together may take to answer
MOUNT = "Mount its disk, or see 'manage.py label_storage --help' if the disk was replaced."
SILENT = "Check its disk, or the network file system that it is on."
SPACE = "Run 'manage.py prune', keep backups for less long in its pools, or add a storage."


def examine() -> Iterator[Finding]:
    """Yield a line for each storage, with two queries for all of them."""
    found = list(Storage.objects.select_related("zone"))
    used = storages.used_bytes(found)
    # To ask an engine for the fault of a folder without a label would label it.
    new = [each for each in found if each.label is None and each.kind == Storage.Kind.FOLDER]
    known = [each for each in found if each not in new]
    readers = storage_space.readers(new, used, seconds=SECONDS)
    readers += storage_space.readers(known, used, seconds=SECONDS, faults=True)
    for reader in sorted(readers, key=lambda reader: reader.storage.name):
        yield _of_a_storage(reader)
    if not found:
        yield skipped("There is none yet: create a zone and a storage in the admin.")


def _of_a_storage(reader: storage_space.SpaceReader) -> Finding:
    storage = reader.storage
    if reader.is_alive():
        return failed(f"It has not answered within {SECONDS} seconds.", SILENT, storage.name)
    try:
        get_engine(storage.zone.engine)
    except InvalidEngine as e:
        return failed(str(e), "Correct BACKUP_ENGINES.", storage.name)
    if fault := reader.fault or _fault_of_folder(storage):
        return failed(fault, MOUNT, storage.name)
    capacity, free = reader.space.get("capacity"), reader.space.get("free")
    if capacity is None or free is None:
        held = f"{size(reader.used)} of backups; its space is not known here."
        return ok(held, storage.name)
    told = f"{size(free)} of {size(capacity)} free, {size(reader.used)} of backups."
    if free * 100 < capacity * conf.STORAGE_LOW_PERCENT:
        return failed(f"Nearly full: {told}", SPACE, storage.name)
    return ok(told, storage.name)


def _fault_of_folder(storage: Storage) -> str:
    if storage.kind != Storage.Kind.FOLDER:
        return ""
    if not Path(storage.path).is_dir():
        return f"The folder '{storage.path}' does not exist."
    if not os.access(storage.path, os.W_OK | os.X_OK):
        return f"The folder '{storage.path}' cannot be written to by this user."
    return ""
