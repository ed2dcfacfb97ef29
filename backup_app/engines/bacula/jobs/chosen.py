"""What a restore brings: the requested files and folders, in the numbers of Bacula's catalog."""

import stat
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ....exceptions import EngineError
from ....lib.formatting import counted
from ....models import Job
from ...shared.job_parts import parent_of
from ...values import Selection
from ..catalog.connection import number
from ..director.director import CatalogSelection, Director
from ..names import Bacula
from . import plugin_files, sources

MAX_LINKS = 40_000  # links that one command can name
# The fields of an LStat. The link is the number of the first of a file's names.
MODE, SIZE, LINK = (f"split_part(f.lstat, ' ', {field})" for field in (3, 8, 14))
IS_NUMBER = "~ '^[A-Za-z0-9+/]{{1,10}}$'"
FIRST_NAMES = f"""
SELECT DISTINCT l.jobid, l.first FROM (
    SELECT w.jobid, {number(LINK)} AS first
    FROM {{table}} w JOIN file f USING (fileid)
    WHERE {LINK} {IS_NUMBER} AND {LINK} <> 'A'
) l WHERE l.first > 0
    AND NOT EXISTS (SELECT 1 FROM {{table}} t WHERE t.jobid = l.jobid AND t.fileindex = l.first)
"""  # noqa: S608 - made of constants
# Bacula 15 adds the first names itself, even if they are there.
MEASURE = f"""
SELECT count(*), coalesce(sum(CASE WHEN {LINK} = 'A' AND {MODE} {IS_NUMBER} AND {SIZE} {IS_NUMBER}
    THEN CASE WHEN ({number(MODE)} & {0o170000}) = {stat.S_IFREG} THEN {number(SIZE)} END
END), 0)
FROM (SELECT DISTINCT fileid FROM {{table}}) w JOIN file f USING (fileid)
"""  # noqa: S608 - so is this one


@dataclass(frozen=True)
class Chosen:
    """The entries that a restore brings, and the bytes of their content."""

    selection: CatalogSelection
    entries: int
    bytes: int

    @property
    def notes(self) -> Sequence[str]:
        """What is restored beside the selection, in sentences."""
        if not self.selection.links:
            return ()
        more = counted(len(self.selection.links), "file")
        return [f"Hard links lead to {more} outside of the selection: restored as well."]


def choose(engine: Bacula, director: Director, job: Job) -> Chosen:
    """Return what the restore ``job`` brings; raises NotFound for what the backup does not have.

    And EngineError for hard links that are too many for Bacula: it stores the content of a file
    with the first of its names only, which is restored as well.
    """
    selection = _select(engine, job)
    # The Director owns the table: a role that may only read the catalog may not see it.
    with director.table_of(selection) as table:
        links = _pairs(director, FIRST_NAMES, table)
        ((entries, size),) = _pairs(director, MEASURE, table)
    if not links:
        return Chosen(selection, entries, size)
    if len(links) > MAX_LINKS:
        raise EngineError(
            f"{len(links)} hard links lead out of the selection, more than Bacula accepts: restore"
            " a folder further up."
        )
    selection = replace(selection, links=links)
    with director.table_of(selection) as table:
        ((entries, size),) = _pairs(director, MEASURE, table)
    return Chosen(selection, entries, size)


def _select(engine: Bacula, job: Job) -> CatalogSelection:
    chosen = wanted(engine, job)
    selection = CatalogSelection(
        jobs=sources.job_ids(parent_of(job)),
        files=[number for number, _ in chosen.files],
        folders=[number for number, _ in chosen.nodes],
    )
    plugin_files.require_none(engine.reader(), selection)
    return selection


def wanted(engine: Bacula, job: Job) -> Selection:
    """Return what the restore ``job`` was asked for, with paths."""
    request, backup = job.request, parent_of(job)
    if "database" in request:
        name, kind = request["database"]["database"], request["database"]["kind"]
        return engine.find_dump(backup, name, kind)
    return engine.select_ids(backup, request.get("nodes", ()), request.get("files", ()))


def _pairs(director: Director, query: str, table: str) -> list[tuple[int, int]]:
    """Return the rows of a query for two numbers of a table."""
    words = " ".join(query.format(table=table).split())
    rows = director.ask_slowly(f'.sql query="{words}"')
    return [(int(first), int(second)) for first, second in (row.split("\t")[:2] for row in rows)]
