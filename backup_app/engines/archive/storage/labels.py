"""Labels: a file that tells the folder of a storage from every other one.

Where the disk of a storage is not mounted, an empty folder is in its place. That one has no label,
so that nothing is written to it, read from it or removed from it.
"""

import os
from pathlib import Path
from uuid import UUID, uuid4

from django.db import transaction

from ....exceptions import EngineError
from ....models import Storage, Volume

FILE = "storage.label"
LENGTH = 36  # of a UUID as text


def storage_folder(storage: Storage) -> Path:
    """Return the folder of a storage; raises EngineError unless it has the storage's label.

    A storage that never had one, such as those of earlier versions, is labelled first.
    """
    if storage.label is None:
        label_storage(storage)
    folder = _folder(storage)
    found = _read(folder, storage)
    if found is None:
        raise EngineError(
            f"The folder of storage '{storage}' has no file '{FILE}': is its disk mounted? If this"
            f" is the right folder, run 'manage.py label_storage {storage.name}'."
        )
    if found != storage.label:
        raise EngineError(f"The folder of storage '{storage}' has the label of another storage.")
    return folder


def label_storage(storage: Storage, *, force: bool = False) -> None:
    """Give the folder of a storage a label, or take over the one that it has.

    Raises EngineError if there is no folder, if it is another storage's, and, unless with
    ``force``, if the newest volume that the catalog has in the storage is not there.
    """
    folder = _folder(storage)
    with transaction.atomic():
        known = Storage.objects.select_for_update().get(pk=storage.pk)
        if not force:
            _require_newest_volume(storage, folder)
        label = _read(folder, storage)
        if label is None:
            label = known.label or uuid4()
            _write(folder, storage, label)
        elif other := Storage.objects.exclude(pk=storage.pk).filter(label=label).first():
            raise EngineError(f"The folder of storage '{storage}' is that of storage '{other}'.")
        Storage.objects.filter(pk=storage.pk).update(label=label)
    storage.label = label


def storage_fault(storage: Storage) -> str:
    """Return in a sentence why a storage cannot be used; "" if it can."""
    try:
        storage_folder(storage)
    except EngineError as e:
        return str(e)
    return ""


def _folder(storage: Storage) -> Path:
    folder = Path(storage.path)
    try:
        is_there = folder.is_absolute() and folder.is_dir()
    except OSError as e:  # as of a network's disk that has lost its server
        raise EngineError(
            f"The folder '{storage.path}' of storage '{storage}' cannot be read: {e.strerror}."
        ) from e
    if not is_there:
        # Made here, it would fill the disk on which that of the backups is not mounted.
        raise EngineError(f"The storage '{storage}' has no folder '{storage.path}'.")
    return folder


def _require_newest_volume(storage: Storage, folder: Path) -> None:
    newest = Volume.objects.filter(job__storage=storage).order_by("-job").first()
    if newest and not (folder / newest.path).is_file():
        raise EngineError(
            f"The folder of storage '{storage}' has no volume of its newest backup,"
            f" {newest.job_id}: is its disk mounted? To use the folder all the same, run"
            f" 'manage.py label_storage --force {storage.name}'."
        )


def _read(folder: Path, storage: Storage) -> UUID | None:
    """Return the label of a folder, None where it has none that can be understood."""
    try:
        with (folder / FILE).open("rb") as file:
            return UUID(file.read(LENGTH).decode("ascii"))
    except (FileNotFoundError, ValueError):
        return None
    except OSError as e:
        raise EngineError(f"The label of storage '{storage}' cannot be read: {e.strerror}.") from e


def _write(folder: Path, storage: Storage, label: UUID) -> None:
    temporary = folder / f"{FILE}.new"
    try:
        with temporary.open("w") as file:
            file.write(f"{label}\n")
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(folder / FILE)
    except OSError as e:
        raise EngineError(
            f"The folder of storage '{storage}' cannot be labelled: {e.strerror}."
        ) from e
