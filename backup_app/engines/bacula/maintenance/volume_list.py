"""The volumes of a storage, as the catalog has them, and the space that is free for more."""

import shutil
from typing import Any

from ....exceptions import BackupError
from ....models import Storage
from ...volumes import FreeSpace, StoredVolume, VolumePage
from .. import names
from ..catalog.connection import text
from ..catalog.records import aware
from ..director import hosts
from ..extraction.storage_config import StorageConfig
from ..names import Bacula

VOLUMES = f"""
SELECT {text("m.volumename")}, {text("p.name")}, {text("m.mediatype")}, {text("m.volstatus")},
    m.volbytes, CASE WHEN m.inchanger <> 0 THEN m.slot END, m.lastwritten, count(*) OVER ()
FROM media m JOIN storage s USING (storageid) LEFT JOIN pool p USING (poolid)
WHERE s.name = %s ORDER BY m.lastwritten DESC NULLS LAST, m.mediaid DESC LIMIT %s OFFSET %s
"""  # noqa: S608 - made of constants
NO_FOLDER = "Its volumes are not files."


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
    if not engine.storage_config:
        return FreeSpace(None, "The setting BACULA_STORAGE_CONFIG names no storage daemon here.")
    try:
        with engine.director() as director:
            values = director.defaults("storage", names.of(engine, storage))
        return _free(engine, values)
    except BackupError as e:
        return FreeSpace(None, str(e))


def _free(engine: Bacula, values: dict[str, str]) -> FreeSpace:
    address, device = values.get("address", ""), values.get("device", "")
    if not hosts.is_here(engine, address):
        return FreeSpace(None, f"The storage daemon is on another host, '{address}'.")
    config = StorageConfig(engine.storage_config)
    if not config.has(device):
        return FreeSpace(None, f"'{config.path}' has no device '{device}'.")
    folder = config.folder_of(device, values.get("media_type", ""))
    try:
        return FreeSpace(shutil.disk_usage(folder).free) if folder else FreeSpace(None, NO_FOLDER)
    except OSError as e:
        return FreeSpace(None, f"'{folder}' cannot be read: {e.strerror}.")


def _decoded(data: bytes | None) -> str:
    return (data or b"").decode(errors="replace")
