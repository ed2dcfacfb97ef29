"""The same rows by bare queries, over a bare connection: nothing is faster."""

from pathlib import Path
from time import thread_time

import psycopg

FOLDER = """
SELECT {name}, f.fileid, f.lstat, f.md5 FROM file f {names}
WHERE f.jobid = %(job)s AND f.pathid = %(folder)s AND {name} <> ''
ORDER BY {name} LIMIT %(limit)s OFFSET %(offset)s
"""
MERGED = """
SELECT * FROM (
    SELECT DISTINCT ON ({name}) {name} AS name, f.fileid, f.fileindex, f.lstat, f.md5
    FROM file f {names} JOIN job j USING (jobid)
    WHERE f.jobid = ANY(%(jobs)s) AND f.pathid = %(folder)s AND {name} <> ''
    ORDER BY {name}, j.jobtdate DESC, f.fileindex DESC
) newest WHERE fileindex > 0 ORDER BY name
"""
# Where catalogs have names: up to Bacula 9.6 in a table of their own.
NUMBERED = {"name": "n.name", "names": "JOIN filename n USING (filenameid)"}
NAMED = {"name": "f.filename", "names": ""}


class Floor:
    """Reads the rows of folders with nothing around it."""

    def __init__(self, **connection):
        self._connection = psycopg.connect(autocommit=True, **connection)
        ((version,),) = self._rows("SELECT versionid FROM version")
        self._where = NUMBERED if version < 1000 else NAMED

    def process(self) -> int:
        """Return the number of the server's process for this connection."""
        return self._connection.info.backend_pid

    def folder(self, job: int, folder: int, limit: int | None = None, offset: int = 0) -> list:
        query = FOLDER.format(**self._where)
        return self._rows(query, job=job, folder=folder, limit=limit, offset=offset)

    def merged(self, jobs: list[int], folder: int) -> list:
        return self._rows(MERGED.format(**self._where), jobs=jobs, folder=folder)

    def _rows(self, query, **values):
        return self._connection.execute(query, values).fetchall()


def processor(*processes: int) -> float:
    """Return the seconds of the processor that this thread and processes of the server have had."""
    texts = [Path(f"/proc/{number}/schedstat").read_text() for number in processes]
    return thread_time() + sum(int(text.split()[0]) for text in texts) / 1e9
