"""What an engine tells of a storage: its space, and the volumes that its own catalog has."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from ..exceptions import WrongState
from ..models import Storage


@dataclass(frozen=True)
class StoredVolume:
    """A volume; its status is the engine's own word, as "Full" or "Append"."""

    name: str
    pool: str
    media_type: str
    status: str
    bytes: int
    slot: int | None  # of the changer that it is in
    written: dt.datetime | None


@dataclass(frozen=True)
class VolumePage:
    """A page of the volumes of a storage, the last written first."""

    volumes: Sequence[StoredVolume]
    total: int


@dataclass(frozen=True)
class FreeSpace:
    """The bytes that are free where volumes are, or else a sentence on why nobody knows."""

    bytes: int | None
    reason: str = ""


class VolumesMixin:
    """The contract's part on space, and on volumes for engines with ``supports_volumes``."""

    alias: str
    supports_volumes = False

    def disk_usage(self, storage: Storage) -> tuple[int, int] | None:
        """Return (capacity, free) of a storage in bytes, None if unknown."""
        return None

    def list_volumes(self, storage: Storage, offset: int, limit: int) -> VolumePage:
        """Return a page of the volumes of a storage, by one query of the engine's catalog."""
        raise WrongState(f"The engine '{self.alias}' cannot list the volumes of a storage.")

    def free_space(self, storage: Storage) -> FreeSpace:
        """Return what is free where the volumes of a storage are."""
        return FreeSpace(None, f"The engine '{self.alias}' does not tell.")
