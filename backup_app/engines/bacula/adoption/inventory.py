"""The storages, pools, filesets and clients of an existing Bacula."""

import re
import socket
from collections.abc import Collection, Iterator
from functools import cached_property

from ....exceptions import EngineError, EngineUnreachable
from ....lib import addresses
from ....models import Client
from ...adoption import Found, FoundClient, FoundFileset, FoundPool, FoundStorage, NotAdopted
from ..names import Bacula, quoted_name
from . import fileset_parser

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


class Inventory:
    """Reads the operator's configuration, without the resources that this service has added.

    Raises EngineUnreachable and EngineError.
    """

    def __init__(self, engine: Bacula) -> None:
        self._engine, self._director, self._catalog = engine, engine.director(), engine.reader()

    def read(self, clients: Collection[str]) -> Iterator[Found]:
        """Yield storages, pools, filesets and clients, in this order; see ``Engine.inventory``."""
        with self._director:
            yield from (FoundStorage(name) for name in self._names("storage"))
            yield from self._pools()
            yield from self._filesets()
            yield from self._clients(clients)

    def _pools(self) -> Iterator[Found]:
        storages = dict(self._catalog.rows(VOLUMES))
        retentions = self._catalog.retentions()
        for name in self._names("pool"):
            yield FoundPool(name, _days(retentions.get(name, 0)), storages.get(name, ""))

    def _filesets(self) -> Iterator[Found]:
        for name in self._names("fileset"):
            try:
                answer = self._director.ask(f"show fileset={quoted_name(name)}")
            except EngineUnreachable:
                raise
            except EngineError as e:
                yield NotAdopted(f"The fileset '{name}' was left out: {e}")
            else:
                yield FoundFileset(name, **vars(fileset_parser.read("".join(answer))))

    def _clients(self, wanted: Collection[str]) -> Iterator[Found]:
        """Yield the clients of the Director, or those that are wanted."""
        unames = self._catalog.unames()
        configured = self._names("client")
        known = {name for name in unames if not name.startswith(self._engine.prefix)}
        # The spool client receives downloads; it is not a machine to back up unless named.
        for name in sorted(wanted or (known | {*configured}) - {self._engine.spool_client}):
            if name in configured:
                yield self._client(name, unames.get(name, ""))
            else:
                where = "in the catalog only, and no longer" if name in unames else "not"
                yield NotAdopted(
                    f"Client '{name}' is {where} in the Director's configuration"
                    f"{self._director.console.scope}: it was left out."
                )

    def _client(self, name: str, uname: str) -> FoundClient | NotAdopted:
        try:
            values = self._director.defaults("client", name)
            host, port = values.get("address", ""), values.get("fdport", "")
            ip = addresses.normalized(host) or _resolved(host)
        except EngineUnreachable:
            raise
        except EngineError as e:
            return NotAdopted(f"Client '{name}' was left out: {e}")
        except OSError as e:
            return NotAdopted(
                f"Client '{name}' was left out, since the address '{host}' cannot be resolved: "
                f"{e.strerror or e}."
            )
        fileset, pool = self._newest_jobs.get(name) or self._jobs.get(name) or ("", "")
        number = int(port) if port.isdecimal() else PORT
        return FoundClient(name, ip, number, _system(uname), fileset, pool)

    @cached_property
    def _newest_jobs(self) -> dict[str, tuple[str, str]]:
        rows = self._catalog.rows(NEWEST_JOBS, [self._engine.prefix])
        return {client: (fileset, pool) for client, fileset, pool in rows}

    @cached_property
    def _jobs(self) -> dict[str, tuple[str, str]]:
        """The fileset and the pool of a configured job of each client."""
        jobs = [self._director.defaults("job", name) for name in self._names("job")]
        backups = [job for job in jobs if job.get("type") == "Backup"]
        return {job["client"]: (job["fileset"], job["pool"]) for job in backups if "client" in job}

    def _names(self, kind: str) -> list[str]:
        names = self._director.names(kind)
        return sorted(name for name in names if not name.startswith(self._engine.prefix))


def _resolved(host: str) -> str:
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    # IPv4 first: clients are more often known by such an address.
    found.sort(key=lambda each: each[0] != socket.AF_INET)
    return str(found[0][4][0])


def _days(seconds: int) -> int:
    return min(max(round(seconds / DAY), 1), LONGEST_RETENTION)


def _system(uname: str) -> str:
    return Client.System.WINDOWS if WINDOWS.search(uname) else Client.System.UNIX
