"""Getting back the space of volumes that nobody needs any more."""

from dataclasses import dataclass

from ...exceptions import EngineError
from . import names

DRIVES = 32  # of a storage, one of which is free; Bacula says which is the last one
TRUNCATED = "has been truncated"
NO_SUCH_DRIVE = "3999"
# Those that one job alone has written to since they were empty: others are still needed.
OWN = """
SELECT convert_to(m.volumename, 'SQL_ASCII'), convert_to(s.name, 'SQL_ASCII')
FROM media m JOIN storage s USING (storageid)
WHERE m.voljobs <= 1 AND m.mediaid IN (SELECT mediaid FROM jobmedia WHERE jobid = %s)
    AND NOT EXISTS (SELECT 1 FROM jobmedia o WHERE o.mediaid = m.mediaid AND o.jobid <> %s)
ORDER BY m.mediaid
"""
# Those that could not be truncated when that was asked for.
LEFT = """
SELECT convert_to(m.volumename, 'SQL_ASCII'), convert_to(s.name, 'SQL_ASCII')
FROM media m JOIN storage s USING (storageid)
WHERE m.volstatus = 'Purged' AND m.actiononpurge = 1 AND m.volbytes > 1024
    AND m.poolid IN (SELECT poolid FROM pool WHERE name = %s)
ORDER BY m.mediaid
"""


@dataclass(frozen=True)
class Volume:
    """A volume, and the storage that has it, by what commands call them."""

    name: str
    storage: str

    @classmethod
    def read(cls, *row: bytes) -> "Volume":
        return cls(*(names.quoted(names.word(each.decode(errors="replace"))) for each in row))


def own_volumes(catalog, job_id: int) -> list[Volume]:
    """Return the volumes that hold nothing but what one job of Bacula has written."""
    return [Volume.read(*row) for row in catalog.rows(OWN, [job_id, job_id])]


def left_volumes(catalog, pool: str) -> list[Volume]:
    """Return the volumes of a pool that were freed but have kept their space."""
    return [Volume.read(*row) for row in catalog.rows(LEFT, [pool])]


def free(director, volume: Volume) -> None:
    """Let a volume be used again, and give its space back to the disk; raises EngineError.

    Its file stays, with a label and nothing else in it.
    """
    director.ask(f"update volume={volume.name} volstatus=Used")
    director.ask(f"update volume={volume.name} actiononpurge=Truncate")
    director.ask(f"purge volume={volume.name}")
    truncate(director, volume)


def truncate(director, volume: Volume) -> None:
    """Give the space of a purged volume back by any drive that is free; raises EngineError."""
    command = f"truncate volume={volume.name} storage={volume.storage}"
    said = refusal = ""
    for drive in range(DRIVES):
        said = "".join(director.ask(f"{command} drive={drive}"))
        if TRUNCATED in said:
            return
        if NO_SUCH_DRIVE in said:
            break
        refusal = said
    words = " ".join((refusal or said).split())
    raise EngineError(f"The volume {volume.name} keeps its space for now: {words}")
