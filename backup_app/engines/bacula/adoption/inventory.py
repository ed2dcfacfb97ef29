"""What an existing installation of Bacula consists of: its configuration, and what ran there."""

import re
import socket
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property

from ....exceptions import EngineError, EngineUnreachable
from ....lib import addresses
from ....models import Client
from ..names import quoted, word
from . import fileset_parser
from .fileset_parser import Shown
from .report import Tally

PORT = 9102  # of file daemons
DAY = 24 * 3600
LONGEST_RETENTION = 36_500  # days
WINDOWS = re.compile(r"\bwin|\bmvs|mingw", re.IGNORECASE)  # but not Darwin

VOLUMES = """
SELECT p.name, s.name FROM media m JOIN pool p USING (poolid) JOIN storage s USING (storageid)
GROUP BY p.name, s.name ORDER BY p.name, count(*)
"""
NEWEST_JOBS = """
SELECT DISTINCT ON (j.clientid) c.name, fs.fileset, p.name
FROM job j JOIN client c USING (clientid) JOIN fileset fs USING (filesetid)
    JOIN pool p ON p.poolid = j.poolid
WHERE j.type = 'B' AND NOT starts_with(coalesce(j.comment, ''), %s)
ORDER BY j.clientid, j.jobid DESC
"""


@dataclass(frozen=True)
class FoundPool:
    name: str
    retention_days: int
    storage: str  # that most of its volumes are on; "" without volumes


@dataclass(frozen=True)
class FoundFileset:
    name: str
    shown: Shown


@dataclass(frozen=True)
class FoundClient:
    """``fileset`` and ``pool`` are those of its newest backup, else of its job; "" for none."""

    name: str
    ip: str
    port: int
    system: str
    fileset: str
    pool: str


class Inventory:
    """Reads what the operator has set up, but for what this service has added to it.

    All methods raise EngineUnreachable and EngineError.
    """

    def __init__(self, engine, director, tally: Tally):
        self._engine, self._director, self._tally = engine, director, tally
        self._catalog = engine.reader()

    def storages(self) -> list[str]:
        return self._names("storage")

    def pools(self) -> list[FoundPool]:
        places = dict(self._catalog.rows(VOLUMES))
        retentions = {pool.name: pool.retention for pool in self._catalog.pools()}
        return [
            FoundPool(name, _days(retentions.get(name, 0)), places.get(name, ""))
            for name in self._names("pool")
        ]

    def filesets(self) -> list[FoundFileset]:
        shown = {name: self._shown(name) for name in self._names("fileset")}
        return [FoundFileset(name, each) for name, each in shown.items() if each]

    def clients(self, wanted: Collection[str]) -> Iterator[FoundClient]:
        """Yield the clients of the Director, or those that are wanted; the others are problems."""
        unames = {client.name: client.uname for client in self._catalog.clients()}
        there = self._names("client")
        known = {name for name in unames if not name.startswith(self._engine.prefix)}
        # Downloads are restored to that one; it is no machine to back up unless somebody says so.
        for name in sorted(wanted or (known | {*there}) - {self._engine.spool_client}):
            if name not in there:
                self._miss(name, unames)
            elif place := self._place(name):
                uses = self._newest_jobs.get(name) or self._jobs.get(name) or ("", "")
                yield FoundClient(name, *place, _system(unames.get(name, "")), *uses)

    @cached_property
    def _newest_jobs(self) -> dict[str, tuple[str, str]]:
        rows = self._catalog.rows(NEWEST_JOBS, [self._engine.prefix])
        return {client: (fileset, pool) for client, fileset, pool in rows}

    @cached_property
    def _jobs(self) -> dict[str, tuple[str, str]]:
        """Of each client the fileset and the pool of a job in the configuration."""
        jobs = [self._director.defaults("job", name) for name in self._names("job")]
        backups = [job for job in jobs if job.get("type") == "Backup"]
        return {job["client"]: (job["fileset"], job["pool"]) for job in backups if "client" in job}

    def _names(self, kind) -> list[str]:
        names = self._director.names(kind)
        return sorted(name for name in names if not name.startswith(self._engine.prefix))

    def _shown(self, name) -> Shown | None:
        try:
            answer = self._director.ask(f"show fileset={quoted(word(name))}")
        except EngineError as e:
            self._leave_out(f"The fileset '{name}'", e)
            return None
        return fileset_parser.read("".join(answer))

    def _miss(self, name, known):
        where = "in the catalog only, and no longer" if name in known else "not"
        self._tally.problems.append(
            f"Client '{name}' is {where} in the Director's configuration: it was left out."
        )

    def _place(self, name) -> tuple[str, int] | None:
        """Return address and port of a client; None for one that has none, which is a problem."""
        try:
            values = self._director.defaults("client", name)
            host, port = values.get("address", ""), values.get("fdport", "")
            ip = addresses.normalized(host) or _resolved(host)
            return ip, int(port) if port.isdecimal() else PORT
        except EngineError as e:
            self._leave_out(f"Client '{name}'", e)
        except OSError as e:
            where = f"the address '{host}' leads nowhere: {e.strerror or e}"
            self._tally.problems.append(f"Client '{name}' was left out, since {where}.")
        return None

    def _leave_out(self, what, refusal):
        if isinstance(refusal, EngineUnreachable):
            raise refusal
        self._tally.problems.append(f"{what} was left out: {refusal}")


def _resolved(host) -> str:
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    # Of several kinds the one that clients are more often known by.
    found.sort(key=lambda each: each[0] != socket.AF_INET)
    return str(found[0][4][0])


def _days(seconds: int) -> int:
    return min(max(round(seconds / DAY), 1), LONGEST_RETENTION)


def _system(uname: str) -> str:
    return Client.System.WINDOWS if WINDOWS.search(uname) else Client.System.UNIX
