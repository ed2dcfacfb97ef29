"""The volumes of a storage, as the catalog has them, and the space that is free for more."""

import shutil
from typing import Any
from urllib.parse import quote

from django.core.cache import cache

from ....exceptions import BackupError, EngineError
from ....models import Storage
from ...volumes import FreeSpace, StoredVolume, VolumePage
from .. import names
from ..catalog.connection import text
from ..catalog.records import aware
from ..director import hosts
from ..director.director import STATUS_TIMEOUT
from ..extraction.storage_config import StorageConfig
from ..names import Bacula

VOLUMES = f"""
SELECT {text("m.volumename")}, {text("p.name")}, {text("m.mediatype")}, {text("m.volstatus")},
    m.volbytes, CASE WHEN m.inchanger <> 0 THEN m.slot END, m.lastwritten, count(*) OVER ()
FROM media m JOIN storage s USING (storageid) LEFT JOIN pool p USING (poolid)
WHERE s.name = %s ORDER BY m.lastwritten DESC NULLS LAST, m.mediaid DESC LIMIT %s OFFSET %s
"""  # noqa: S608 - made of constants
UNKNOWN = ""  # instead of a folder
KNOWN, FORGOTTEN = 300, 60  # seconds until the Director is asked again which it is


def page(engine: Bacula, storage: Storage, offset: int, limit: int) -> VolumePage:
    """See ``Engine.list_volumes``."""
    rows = engine.reader().rows(VOLUMES, [names.of(engine, storage), limit, offset])
    volumes = [_volume(engine, *row) for row in rows]
    return VolumePage(volumes, rows[0][-1] if rows else 0)


def _volume(engine: Bacula, *row: Any) -> StoredVolume:
    name, pool, media_type, status = map(_decoded, row[:4])
    size, slot, written, _ = row[4:]
    return StoredVolume(name, pool, media_type, status, size, slot, aware(written, engine.zone))


def free_space(engine: Bacula, storage: Storage) -> FreeSpace:
    """Return what is free on the file system of a storage daemon of this machine."""
    try:
        return FreeSpace(_usage(_folder(engine, storage))[1])
    except BackupError as e:
        return FreeSpace(None, str(e))


def disk_usage(engine: Bacula, storage: Storage) -> tuple[int, int] | None:
    """See ``Engine.disk_usage``: lists ask it often, so the Director is asked once in a while."""
    if not engine.storage_config:
        return None
    place = f"{engine.address}:{engine.port}:{engine.storage_config}"
    key = f"bacula-disk:{quote(place)}:{quote(names.of(engine, storage))}"
    folder = cache.get(key)
    if folder is None:
        try:
            folder = _folder(engine, storage)
        except BackupError:
            folder = UNKNOWN
        cache.set(key, folder, FORGOTTEN if folder == UNKNOWN else KNOWN)
    return None if folder == UNKNOWN else _usage(folder)


def _folder(engine: Bacula, storage: Storage) -> str:
    """Return the folder of the volumes of a storage; raises EngineError if it is not here."""
    if not engine.storage_config:
        raise EngineError("The setting BACULA_STORAGE_CONFIG names no storage daemon here.")
    with engine.director() as director:
        director.console.seconds = min(STATUS_TIMEOUT, engine.answer_seconds)
        values = director.defaults("storage", names.of(engine, storage))
    address, device = values.get("address", ""), values.get("device", "")
    if not hosts.is_here(engine, address):
        raise EngineError(f"The storage daemon is on another host, '{address}'.")
    config = StorageConfig(engine.storage_config)
    if not config.has(device):
        raise EngineError(f"'{config.path}' has no device '{device}'.")
    folder = config.folder_of(device, values.get("media_type", ""))
    if folder is None:
        raise EngineError("Its volumes are not files.")
    return str(folder)


def _usage(folder: str) -> tuple[int, int]:
    """Return (capacity, free) of a disk in bytes; raises EngineError."""
    try:
        usage = shutil.disk_usage(folder)
    except OSError as e:
        raise EngineError(f"'{folder}' cannot be read: {e.strerror}.") from e
    return usage.total, usage.free


def _decoded(data: bytes | None) -> str:
    return (data or b"").decode(errors="replace")
