"""What a restore would do, as far as Bacula can tell: it looks at a destination only as it writes.

Made by the steps by which a restore begins, and nothing is changed.
"""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from ....lib import destinations
from ....lib.paths import split
from ....models import Client, Job
from ...previews import Existing, Findings, NeededVolume, Preview, State
from ...shared.job_parts import parent_of
from ...values import Tick, no_tick
from .. import names
from ..catalog.connection import text
from ..config.resources import address
from ..director import hosts
from ..director.director import CatalogSelection, Director
from ..extraction.bextract import parts
from ..extraction.storage_config import StorageConfig
from ..names import Bacula
from .chosen import choose, wanted
from .restore import existing_of

THERE = {
    Existing.OVERWRITE: "files that are there are replaced",
    Existing.KEEP_NEWER: "files that are there are replaced, unless they are as new or newer",
    Existing.KEEP: "files that are there are kept",
}
NAMED = re.compile(r'^Volume="([^"\n]*)"', re.MULTILINE)
# Each with the newest of the jobs that have a part on it.
VOLUMES = f"""
SELECT {text("m.volumename")}, {text("m.volstatus")}, m.volbytes, m.inchanger <> 0,
    coalesce(s.autochanger, 0) <> 0 AND m.slot > 0, (
        SELECT max(jobid) FROM jobmedia p WHERE p.mediaid = m.mediaid AND p.jobid = ANY(%s)
    )
FROM media m LEFT JOIN storage s USING (storageid)
WHERE m.volumename = ANY(%s) ORDER BY m.mediaid
"""  # noqa: S608 - made of constants


def preview(
    engine: Bacula, job: Job, tick: Tick = no_tick, *, patience: float | None = None
) -> Preview:
    """See ``Engine.preview_restore``; raises EngineUnreachable if the client is unreachable."""
    with engine.director() as director:
        notes = list(_of_the_client(engine, director, job.client, patience))
        tick()
        chosen = choose(engine, director, job)
        tick()
        bootstrap = director.bootstrap(chosen.selection)
    tick()
    there = THERE[existing_of(job)]
    notes.append(f"Bacula cannot tell beforehand what is at the destination: {there}.")
    return Preview(
        findings=Findings(placed={State.UNKNOWN: [chosen.entries, chosen.bytes]}),
        entries=chosen.entries,
        bytes=chosen.bytes,
        free=_free(engine, job),
        volumes=list(_volumes(engine, job, chosen.selection, bootstrap)),
        notes=[*chosen.notes, *notes],
        frees=True,
    )


def _of_the_client(
    engine: Bacula, director: Director, client: Client, patience: float | None
) -> Iterator[str]:
    name = names.of(engine, client)
    if name in director.names("client"):
        director.client_header(name, patience)
    else:
        yield f"The Director does not have client '{name}' yet: the restore adds it."


# --- Volumes -----------------------------------------------------------------------------------


def _volumes(
    engine: Bacula, job: Job, selection: CatalogSelection, bootstrap: str
) -> Iterator[NeededVolume]:
    places = _places(engine, bootstrap)
    jobs = dict(parent_of(job).sources.values_list("engine_job_id", "pk"))
    rows = engine.reader().rows(VOLUMES, [list(selection.jobs), list(places)])
    for name, status, size, is_loaded, has_slot, job_id in rows:
        volume = bytes(name).decode(errors="replace")
        folder = places[volume]
        pk = jobs.get(job_id, parent_of(job).pk)
        state = f"{volume}, {bytes(status).decode().lower()}"
        fault = ""
        if folder and not os.path.exists(folder / volume):  # noqa: PTH110
            fault = f"The volume '{volume}' is not in '{folder}'."
        elif folder:
            state += ", there"
        elif has_slot:
            state += ", in the changer" if is_loaded else ", not in the changer"
        yield NeededVolume(pk, volume, size, fault, state)


def _places(engine: Bacula, bootstrap: str) -> dict[str, Path | None]:
    """Return the folder of each volume that a bootstrap reads, None where it cannot be told."""
    storage = StorageConfig(engine.storage_config) if engine.storage_config else None
    return {
        name: storage.folder_of(device, media_type) if storage else None
        for device, media_type, part in parts(bootstrap)
        for names_of_stanza in NAMED.findall(part)
        for name in names_of_stanza.split("|")
    }


# --- Free space --------------------------------------------------------------------------------


def _free(engine: Bacula, job: Job) -> int | None:
    """Return how many bytes are free at a destination on this machine, None on any other."""
    if not hosts.is_here(engine, address(job.client)):
        return None
    place = _destination(engine, job)
    while not os.path.exists(place):  # noqa: PTH110 - which tells no reason, such as a lack of rights
        place = split(place)[0]
    return shutil.disk_usage(place).free


def _destination(engine: Bacula, job: Job) -> bytes:
    """Return the folder that a restore writes to: for the original place, that of the files."""
    path = destinations.unpacked(job.request)
    if path != destinations.ORIGINAL:
        return path
    chosen = wanted(engine, job)
    return os.path.commonpath([path for _, path in (*chosen.nodes, *chosen.files)])
