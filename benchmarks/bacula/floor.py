"""The same rows by bare queries, over a bare connection: nothing is faster."""

from pathlib import Path
from time import thread_time

import psycopg

FOLDER = """
SELECT n.name, f.fileid, f.lstat, f.md5 FROM file f JOIN filename n USING (filenameid)
WHERE f.jobid = %(job)s AND f.pathid = %(folder)s AND n.name <> ''
ORDER BY n.name LIMIT %(limit)s OFFSET %(offset)s
"""
MERGED = """
SELECT * FROM (
    SELECT DISTINCT ON (n.name) n.name, f.fileid, f.fileindex, f.lstat, f.md5
    FROM file f JOIN filename n USING (filenameid) JOIN job j USING (jobid)
    WHERE f.jobid = ANY(%(jobs)s) AND f.pathid = %(folder)s AND n.name <> ''
    ORDER BY n.name, j.jobtdate DESC, f.fileindex DESC
) newest WHERE fileindex > 0 ORDER BY name
"""


class Floor:
    """Reads the rows of folders with nothing around it."""

    def __init__(self, **connection):
        self._connection = psycopg.connect(autocommit=True, **connection)

    def process(self) -> int:
        """Return the number of the server's process for this connection."""
        return self._connection.info.backend_pid

    def folder(self, job: int, folder: int, limit: int | None = None, offset: int = 0) -> list:
        return self._rows(FOLDER, job=job, folder=folder, limit=limit, offset=offset)

    def merged(self, jobs: list[int], folder: int) -> list:
        return self._rows(MERGED, jobs=jobs, folder=folder)

    def _rows(self, query, **values):
        return self._connection.execute(query, values).fetchall()


def processor(*processes: int) -> float:
    """Return the seconds of the processor that this thread and processes of the server have had."""
    texts = [Path(f"/proc/{number}/schedstat").read_text() for number in processes]
    return thread_time() + sum(int(text.split()[0]) for text in texts) / 1e9
