"""Labels: a file with a UUID, which identifies the folder of a storage.

When the disk of a storage is not mounted, its mount point is an empty folder. That has no label, so
that nothing is written there, and no backup is taken for lost.
"""

from pathlib import Path
from uuid import UUID, uuid4

from django.db import transaction

from ....exceptions import EngineError
from ....models import Storage, Volume
from ...shared.durable import sync

FILE = "storage.label"
LENGTH = 36  # of a UUID as text


def storage_folder(storage: Storage) -> Path:
    """Return the folder of a storage; raises EngineError unless it has the storage's label.

    A storage without a label in the database, as of earlier versions, is labelled first.
    """
    if storage.label is None:
        label_storage(storage)
    folder = _folder(storage)
    found = read_label(folder, f"storage '{storage}'")
    if found is None:
        raise EngineError(
            f"The folder of storage '{storage}' has no file '{FILE}': is its disk mounted? If this"
            f" is the right folder, run 'manage.py label_storage {storage.name}'."
        )
    if found != storage.label:
        raise EngineError(f"The folder of storage '{storage}' has the label of another storage.")
    return folder


def label_storage(storage: Storage, *, force: bool = False) -> None:
    """Write a label to the folder of a storage, or record the one that it has.

    Raises EngineError if the folder is missing or another storage's, and, without ``force``, if
    it lacks the newest volume that the catalog has in this storage.
    """
    folder = _folder(storage)
    with transaction.atomic():
        known = Storage.objects.select_for_update().get(pk=storage.pk)
        if not force:
            _require_newest_volume(storage, folder)
        label = read_label(folder, f"storage '{storage}'")
        if label is None:
            label = known.label or uuid4()
            _write(folder, storage, label)
        elif other := Storage.objects.exclude(pk=storage.pk).filter(label=label).first():
            raise EngineError(f"The folder of storage '{storage}' belongs to storage '{other}'.")
        Storage.objects.filter(pk=storage.pk).update(label=label)
    storage.label = label


def storage_fault(storage: Storage) -> str:
    """Return a sentence on why a storage cannot be used; "" if it can."""
    try:
        storage_folder(storage)
    except EngineError as e:
        return str(e)
    return ""


def read_label(folder: Path, owner: str) -> UUID | None:
    """Return the label of a folder, None if it has no valid one; errors name its owner."""
    try:
        with (folder / FILE).open("rb") as file:
            return UUID(file.read(LENGTH).decode("ascii"))
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None
    except OSError as e:
        raise EngineError(f"The label of {owner} cannot be read: {e.strerror}.") from e


def _folder(storage: Storage) -> Path:
    folder = Path(storage.path)
    try:
        is_there = folder.is_absolute() and folder.is_dir()
    except OSError as e:  # such as a network file system whose server is down
        raise EngineError(
            f"The folder '{storage.path}' of storage '{storage}' cannot be read: {e.strerror}."
        ) from e
    if not is_there:
        # Not created: without its disk, backups would fill the one below the mount point.
        raise EngineError(f"The storage '{storage}' has no folder '{storage.path}'.")
    return folder


def _require_newest_volume(storage: Storage, folder: Path) -> None:
    newest = Volume.objects.filter(job__storage=storage).order_by("-job").first()
    if newest and not (folder / newest.path).is_file():
        raise EngineError(
            f"The folder of storage '{storage}' has no volume of its newest backup,"
            f" {newest.job_id}: is its disk mounted? To use the folder anyway, run"
            f" 'manage.py label_storage --force {storage.name}'."
        )


def _write(folder: Path, storage: Storage, label: UUID) -> None:
    temporary = folder / f"{FILE}.new"
    try:
        with temporary.open("w") as file:
            file.write(f"{label}\n")
            sync(file)
        temporary.replace(folder / FILE)
    except OSError as e:
        raise EngineError(
            f"The folder of storage '{storage}' cannot be labelled: {e.strerror}."
        ) from e
