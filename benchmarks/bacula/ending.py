"""When a job has ended in Bacula's catalog."""

import threading
import time
from contextlib import closing

import psycopg

ASK_SECONDS = 0.005
OPEN = "CRjpFSMmsDdtcLal"  # the states of jobs that have not ended, by Bacula's letters


class Ending(threading.Thread):
    """Watches, as a context manager, for the end of the next job; ``moment`` is that.

    ``server`` is what psycopg connects to. The moment is of ``time.perf_counter()``.
    """

    def __init__(self, **server: str) -> None:
        super().__init__(daemon=True)
        self._server, self.moment = server, 0.0
        with closing(self._connect()) as catalog:
            [self._last] = catalog.execute("SELECT coalesce(max(jobid), 0) FROM job").fetchone()

    def __enter__(self) -> "Ending":
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.join()

    def run(self) -> None:
        ended = "SELECT 1 FROM job WHERE jobid > %s AND NOT jobstatus = ANY(%s)"
        with closing(self._connect()) as catalog:
            while not catalog.execute(ended, [self._last, list(OPEN)]).fetchone():
                time.sleep(ASK_SECONDS)
            self.moment = time.perf_counter()

    def _connect(self) -> psycopg.Connection:
        return psycopg.connect(**self._server, autocommit=True)
