"""Hard links: Bacula stores the content of a file with the first of its names only.

So restoring another name needs the first one as well, which is added to the selection.
"""

from dataclasses import replace

from ....exceptions import EngineError
from ..catalog.connection import number
from ..director.director import CatalogSelection, Director

MOST = 40_000  # links that one command can name
LINK = "split_part(f.lstat, ' ', 14)"  # the number of the first name
QUERY = f"""
SELECT DISTINCT l.jobid, l.first FROM (
    SELECT w.jobid, {number(LINK)} AS first
    FROM {{table}} w JOIN file f USING (fileid)
    WHERE {LINK} ~ '^[A-Za-z0-9+/]{{{{1,10}}}}$' AND {LINK} <> 'A'
) l WHERE l.first > 0
    AND NOT EXISTS (SELECT 1 FROM {{table}} t WHERE t.jobid = l.jobid AND t.fileindex = l.first)
"""  # noqa: S608 - made of constants


def with_first_names(director: Director, selection: CatalogSelection) -> CatalogSelection:
    """Return a selection with the first names of its hard links.

    Raises EngineError if these are too many for Bacula.
    """
    # The table is the Director's: a role that may only read the catalog need not see it.
    with director.table_of(selection) as table:
        query = " ".join(QUERY.format(table=table).split())
        rows = director.ask_slowly(f'.sql query="{query}"')
    links = [(int(job_id), int(index)) for job_id, index in (row.split("\t")[:2] for row in rows)]
    if len(links) > MOST:
        raise EngineError(
            f"{len(links)} hard links lead out of the selection, more than Bacula accepts: restore"
            " a folder further up."
        )
    return replace(selection, links=links)
