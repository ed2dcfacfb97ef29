"""Read replicas and whether they are up to date, by the calendar's revision.

Each process has a thread for each replica, which looks once a second: no request waits for it.
"""

import logging
import time
from collections import deque
from contextlib import suppress
from threading import Lock, Thread
from typing import NamedTuple

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, Error, connections

from calendar_app.models import Revision

PAUSE = 1  # seconds between two checks
VALID = 3  # seconds for which what a check has found holds
LAG = 5  # seconds by which a replica may be behind the primary
UNREADABLE = "cannot be read"
STATE = f"""
    SELECT pg_is_in_recovery(), (SELECT system_identifier FROM pg_control_system()),
        coalesce((SELECT stamp FROM {Revision._meta.db_table}), 0)
"""  # noqa: S608

logger = logging.getLogger(__name__)


class State(NamedTuple):
    is_replica: bool
    cluster: int
    stamp: int


class Replica:
    """A replica as its latest check found it: its revision, and its fault if it is left out."""

    def __init__(self, alias: str) -> None:
        self.alias, self.stamp = alias, 0
        self._fault: str | None = None
        self._checked = float("-inf")
        self._primary: deque[tuple[float, int]] = deque()  # its revisions, and when they were read
        self._thread, self._lock = Thread(), Lock()

    def __str__(self) -> str:
        at = settings.DATABASES[self.alias]
        return f"{self.alias} at {at['HOST']}:{at['PORT'] or 5432}"

    @property
    def fault(self) -> str | None:
        """Why the replica is left out, as what completes "it …"; empty if it is not."""
        if time.monotonic() - self._checked > VALID:
            return f"has not been checked for {VALID} seconds"
        return self._fault

    def follow(self) -> None:
        """See to it that this process checks the replica from now on."""
        if not self._thread.is_alive():
            with self._lock:
                if not self._thread.is_alive():
                    self._thread = Thread(target=self._check_forever, daemon=True)
                    self._thread.start()

    def leave_out(self, fault: str, error: Exception | None = None) -> None:
        """Use the replica no more until a check finds no fault."""
        if self._fault != fault:
            detail = f" ({' '.join(str(error).split())})" if error else ""
            logger.warning("The replica %s is left out: it %s.%s", self, fault, detail)
        self._fault = fault

    def _check_forever(self) -> None:
        while True:
            with suppress(Error):  # of the primary, which others report
                self._check()
            for alias in (self.alias, DEFAULT_DB_ALIAS):
                connections[alias].close_if_unusable_or_obsolete()
            time.sleep(PAUSE)

    def _check(self) -> None:
        primary = _state(DEFAULT_DB_ALIAS)
        try:
            found = _state(self.alias)
        except Error as e:
            self.leave_out(UNREADABLE, e)
        else:
            self._judge(primary, found)
        self._checked = time.monotonic()

    def _judge(self, primary: State, found: State) -> None:
        fault = self.find_fault(primary, found)
        self.stamp = found.stamp
        if fault:
            self.leave_out(fault)
        elif self._fault != "":
            logger.info("The replica %s is in use.", self)
            self._fault = ""

    def find_fault(self, primary: State, found: State) -> str:
        """Return why the replica in the state found is left out; "" if it is not."""
        expected = self._expected(primary.stamp)
        if not found.is_replica:
            return "accepts writes, and so is no replica"
        if found.cluster != primary.cluster:
            return "is a replica of another database server"
        if self.stamp > primary.stamp:
            # It had this a second ago, which is long enough for the primary to have it as well.
            return "has writes that the primary does not have"
        if found.stamp < expected:
            return "is too far behind the primary"
        return ""

    def _expected(self, stamp: int) -> int:
        """Return the revision that the primary had LAG seconds ago, or when it was first read."""
        now = time.monotonic()
        self._primary.append((now, stamp))
        while len(self._primary) > 1 and self._primary[1][0] <= now - LAG:
            self._primary.popleft()
        return self._primary[0][1]


def _state(alias: str) -> State:
    with connections[alias].cursor() as cursor:
        cursor.execute(STATE)
        return State(*cursor.fetchone())


replicas = {alias: Replica(alias) for alias in settings.DATABASE_REPLICAS}
