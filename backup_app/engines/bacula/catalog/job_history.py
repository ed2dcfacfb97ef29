"""The jobs in Bacula's catalog, in the order of their numbers."""

from collections.abc import Collection, Iterator

from .records import Catalog, JobRow

BATCH = 1000
GOOD_BEFORE = """
WHERE c.name = %s AND j.name = %s AND fs.fileset = %s AND j.type = 'B'
    AND j.jobstatus IN ('T', 'W') AND j.jobid < %s
"""


def batches(catalog: Catalog, clients: Collection[str]) -> Iterator[list[JobRow]]:
    """Yield the jobs of clients, of whatever kind and state, some at a time."""
    # By ranges of the primary key, since a limit would sort all rows for each batch.
    condition = "WHERE j.jobid > %s AND j.jobid <= %s AND c.name = ANY(%s) ORDER BY j.jobid"
    after = 0
    while last := _end_of_batch(catalog, after):
        if rows := catalog.jobs(condition, [after, last, list(clients)]):
            yield rows
        after = last


def _end_of_batch(catalog: Catalog, after: int) -> int | None:
    query = """
        SELECT max(jobid)
        FROM (SELECT jobid FROM job WHERE jobid > %s ORDER BY jobid LIMIT %s) batch
    """
    ((last,),) = catalog.rows(query, [after, BATCH])
    return last if last is None else int(last)


def up_to(catalog: Catalog, row: JobRow) -> list[JobRow]:
    """Return a backup and those before it that it may build on: from the newest full one on."""
    values = [row.client, row.name, row.fileset, row.job_id]
    full = catalog.jobs(f"{GOOD_BEFORE} AND j.level = 'F' ORDER BY j.jobid DESC LIMIT 1", values)
    since = [*values, full[0].job_id if full else row.job_id]
    return [*catalog.jobs(f"{GOOD_BEFORE} AND j.jobid >= %s ORDER BY j.jobid", since), row]


def foreign_ids(
    catalog: Catalog, clients: Collection[str], own: str, *, after: int, most: int
) -> list[int]:
    """Return the numbers of the clients' backups and restores that others started.

    Only after one number, and among the ``most`` newest of all. What we start says so in a comment
    that begins with ``own``.
    """
    query = """
        SELECT j.jobid FROM job j JOIN client c USING (clientid)
        WHERE j.jobid > greatest(%s, (SELECT max(jobid) FROM job) - %s)
        AND c.name = ANY(%s) AND j.type IN ('B', 'R')
        AND NOT starts_with(coalesce(j.comment, ''), %s)
        ORDER BY j.jobid
    """
    return [number for (number,) in catalog.rows(query, [after, most, list(clients), own])]


def existing(catalog: Catalog, job_ids: Collection[int]) -> set[int]:
    """Return those of these numbers whose jobs the catalog still has."""
    rows = catalog.rows("SELECT jobid FROM job WHERE jobid = ANY(%s)", [list(job_ids)])
    return {number for (number,) in rows}


def counts(catalog: Catalog) -> list[tuple[str, int]]:
    """Return how many jobs each client has, by their names."""
    query = """
        SELECT c.name, count(*) FROM job j JOIN client c USING (clientid)
        GROUP BY c.name ORDER BY c.name
    """
    return catalog.rows(query)
