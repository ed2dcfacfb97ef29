"""Frees the space of volumes that are no longer needed."""

import re
from dataclasses import dataclass

from ....exceptions import EngineError, EngineUnreachable
from .. import names
from ..catalog.records import Catalog
from ..director.director import Director

DRIVES = 32  # of a storage that are tried, while others are busy
# What the Director says of a drive that a job uses; in 15 also of one that a canceled job has not
# let go of.
BUSY = re.compile(" busy |is reserved by someone else")
# Bacula 15 does not truncate a volume of which its catalog knows nothing but the label: what a
# canceled job has left there goes when the volume is used again.
TRUNCATED = re.compile("has been truncated|No Volumes found to perform the command")
WRITTEN = re.compile(r'(?:Labeled new Volume|prelabeled Volume|Recycled volume) "([^"]+)"')
# Volumes that only this job has written to since they were empty: others are still needed.
OWN = """
SELECT convert_to(m.volumename, 'SQL_ASCII'), convert_to(s.name, 'SQL_ASCII')
FROM media m JOIN storage s USING (storageid)
WHERE m.voljobs <= 1 AND (m.volumename = ANY(%(named)s) OR m.mediaid IN (
        SELECT mediaid FROM jobmedia WHERE jobid = %(job_id)s
    )) AND NOT EXISTS (
        SELECT 1 FROM jobmedia o JOIN job USING (jobid)
        WHERE o.mediaid = m.mediaid AND o.jobid <> %(job_id)s
    )
ORDER BY m.mediaid
"""
# Volumes that were purged but could not be truncated then.
LEFT = """
SELECT convert_to(m.volumename, 'SQL_ASCII'), convert_to(s.name, 'SQL_ASCII')
FROM media m JOIN storage s USING (storageid)
WHERE m.volstatus = 'Purged' AND m.actiononpurge = 1 AND m.volbytes > 1024
    AND m.poolid IN (SELECT poolid FROM pool WHERE name = %s)
ORDER BY m.mediaid
"""


@dataclass(frozen=True)
class Volume:
    """A volume and its storage, by their names in commands."""

    name: str
    storage: str

    @classmethod
    def read(cls, *row: bytes) -> "Volume":
        return cls(*(names.quoted(names.word(each.decode(errors="replace"))) for each in row))


def own_volumes(catalog: Catalog, job_id: int) -> list[Volume]:
    """Return the volumes that hold nothing but what one job of Bacula has written."""
    # The catalog may lack the volumes of a canceled job, which its log names.
    named = [name for line in catalog.log_after(job_id) for name in WRITTEN.findall(line.text)]
    rows = catalog.rows(OWN, {"job_id": job_id, "named": named})
    return [Volume.read(*row) for row in rows]


def left_volumes(catalog: Catalog, pool: str) -> list[Volume]:
    """Return the volumes of a pool that were freed but have kept their space."""
    return [Volume.read(*row) for row in catalog.rows(LEFT, [pool])]


def free(director: Director, volume: Volume) -> None:
    """Let a volume be used again, and give its space back to the disk; raises EngineError.

    Its file stays, with a label and nothing else in it.
    """
    director.ask(f"update volume={volume.name} volstatus=Used")
    director.ask(f"update volume={volume.name} actiononpurge=Truncate")
    director.ask(f"purge volume={volume.name}")
    truncate(director, volume)


def truncate(director: Director, volume: Volume) -> None:
    """Give the space of a purged volume back by any drive that is free; raises EngineError."""
    for drive in range(DRIVES):
        said = _truncate(director, volume, drive)
        if not BUSY.search(said):
            break
    if not TRUNCATED.search(said):
        words = " ".join(said.split())
        raise EngineError(f"The volume {volume.name} could not be truncated yet: {words}")


def _truncate(director: Director, volume: Volume, drive: int) -> str:
    command = f"truncate volume={volume.name} storage={volume.storage} drive={drive}"
    try:
        return "".join(director.ask(command))
    except EngineUnreachable:
        raise
    except EngineError as e:
        return str(e)
