"""What hard links lead to: Bacula stores the content of a file with the first of its names only.

Whoever restores another name of it needs the first one as well, and gets it.
"""

from dataclasses import replace

from ....exceptions import EngineError
from ..director.selection_table import Wanted, table_of

MOST = 40_000  # that a command can name
# LStat's last field but one is the number of the first name, in Bacula's base 64.
QUERY = """
SELECT DISTINCT l.jobid, l.first FROM (
    SELECT w.jobid, ('x' || substr(
        encode(decode(lpad(split_part(f.lstat, ' ', 14), 12, 'A'), 'base64'), 'hex'), 3
    ))::bit(64)::bigint AS first
    FROM {table} w JOIN file f USING (fileid)
    WHERE split_part(f.lstat, ' ', 14) ~ '^[A-Za-z0-9+/]{{1,10}}$'
        AND split_part(f.lstat, ' ', 14) <> 'A'
) l WHERE l.first > 0
    AND NOT EXISTS (SELECT 1 FROM {table} t WHERE t.jobid = l.jobid AND t.fileindex = l.first)
"""


def with_first_names(director, wanted: Wanted) -> Wanted:
    """Return what is wanted, and the first names that it needs and does not have.

    Raises EngineError where these are too many for Bacula.
    """
    # The table is the Director's: a role that may only read the catalog need not see it.
    with table_of(director, wanted) as table:
        query = " ".join(QUERY.format(table=table).split())
        rows = director.ask_slowly(f'.sql query="{query}"')
    links = [(int(job_id), int(index)) for job_id, index in (row.split("\t")[:2] for row in rows)]
    if len(links) > MOST:
        raise EngineError(
            f"{len(links)} hard links lead out of what is to be restored, more than Bacula takes:"
            " restore a folder further up."
        )
    return replace(wanted, links=links)
