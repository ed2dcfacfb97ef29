"""What this service has a Director do."""

import re
import time
from collections.abc import Iterable
from urllib.parse import quote

from django.core.cache import cache

from ....exceptions import EngineError, EngineUnreachable
from ..catalog.records import Catalog
from ..names import quoted, word
from . import status
from .console import Console
from .selection_table import Wanted, numbers, table_of
from .start import started

LISTS = {
    "client": ".clients",
    "job": ".jobs",
    "fileset": ".filesets",
    "pool": ".pools",
    "storage": ".storage",
}
SOON = 5  # seconds; the answer of a client that is well takes a tenth
# Seconds for which a client that did not answer is left alone, by all processes that share a cache.
# The Director goes on waiting for ten minutes, with one of the twenty consoles that it has.
SILENCE = 900
SECOND = 1.1
NO_WORDS = "it does not say why. While one of its jobs goes on it takes no more than 32."
TIMES = 4  # that the folders of a job are tried
PATIENCE = 20  # how many times longer than others a command may take that works through a catalog


class Director:
    """A Director, over a console that is opened when it is first needed; a context manager.

    Bacula takes something else, and says it in passing, where it does not know a name. So each
    name is looked up first, and what a job was made of is compared afterwards. All methods raise
    EngineUnreachable where the Director is away, and EngineError for what it refuses.
    """

    def __init__(self, console: Console, catalog: Catalog) -> None:
        self.console, self.catalog = console, catalog

    def __enter__(self) -> "Director":
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.console.close()

    def ask(self, command: str, *, seconds: float | None = None) -> list[str]:
        """Return the packets of an answer; see ``Console.ask``."""
        self.console.open()
        return self.console.ask(command, seconds=seconds)

    def ask_slowly(self, command: str) -> list[str]:
        """Ask what has the Director work through its catalog."""
        return self.ask(command, seconds=self.console.seconds * PATIENCE)

    # --- What there is ------------------------------------------------------------------------

    def version(self) -> str:
        """Return such as "9.6.7"."""
        said = "".join(self.ask("version"))
        if found := re.search(r"Version: (\S+)", said):
            return found[1]
        raise EngineError(f"The Director does not tell its version: {said[:200]}")

    def names(self, kind: str) -> set[str]:
        """Return the names of all clients, jobs, filesets, pools or storages: of one ``kind``."""
        return {line.rstrip("\n") for line in self.ask(LISTS[kind])}

    def require(self, kind: str, name: str) -> None:
        """Raise EngineError unless the Director's configuration has a thing of this name."""
        # There is no ``.defaults`` of filesets.
        known = word(name) in self.names(kind) if kind == "fileset" else self._defaults(kind, name)
        if not known:
            raise EngineError(f"The Director knows no {kind} '{name}'.")

    def defaults(self, kind: str, name: str) -> dict[str, str]:
        """Return what the configuration says of a client, job, pool or storage."""
        found = self._defaults(kind, name)
        if not found:
            raise EngineError(f"The Director knows no {kind} '{name}'.")
        return found

    def _defaults(self, kind: str, name: str) -> dict[str, str]:
        lines = self.ask(f".defaults {kind}={_name(name)}")
        found = dict(line.split("=", 1) for line in lines if "=" in line)
        return found if found.get(kind) == name else {}

    # --- Jobs -----------------------------------------------------------------------------------

    def run(
        self,
        job: str,
        *,
        client: str,
        level: str | None = None,
        fileset: str | None = None,
        pool: str | None = None,
        storage: str | None = None,
        comment: str,
        **other: str | int,
    ) -> int:
        """Start a job and return its JobId; ``other`` are further words of the command."""
        things = {"client": client, "fileset": fileset, "pool": pool, "storage": storage}
        named = {kind: name for kind, name in things.items() if name is not None}
        for kind, name in {"job": job, **named}.items():
            self.require(kind, name)
        words = [f"{kind}={_name(name)}" for kind, name in {"job": job, **named}.items()]
        words += [f"level={_name(level)}"] if level else []
        words += [f"{key}={quoted(str(value))}" for key, value in other.items()]
        return started(
            self, f"run {' '.join(words)} comment={quoted(comment)} yes", client, fileset
        )

    def restore(
        self,
        wanted: Wanted,
        *,
        job: str,
        source: str,
        client: str,
        where: str,
        comment: str,
        **other: str,
    ) -> int:
        """Start the restore job ``job`` and return its JobId.

        It brings what was backed up of the client ``source`` to ``client``, below ``where``,
        "/" being the original place, and replaces what is there.
        """
        self.require("job", job)
        for name in (source, client):
            self.require("client", name)
        with table_of(self, wanted) as table:
            words = [f"file=?{table}", f"client={_name(source)}", f"restoreclient={_name(client)}"]
            words += [f"restorejob={_name(job)}", f"where={quoted(where)}", "replace=always"]
            words += [f"{key}={quoted(value)}" for key, value in other.items()]
            command = f"restore {' '.join(words)} comment={quoted(comment)} yes"
            return started(self, command, client)

    def cancel(self, job_id: int) -> bool:
        """Have a job end; say whether it was running."""
        said = " ".join(self.ask(f"cancel jobid={int(job_id)} yes"))
        return "marked to be canceled" in said

    def delete_job(self, job_id: int) -> None:
        """Delete a job that has ended, and what it stored, from the catalog, if it is there."""
        # A job that never was is deleted just so, and one that runs too.
        row = self.catalog.job(job_id)
        if row is None:
            return
        if not row.has_ended:
            raise EngineError(f"Job {job_id} of the Director cannot be deleted while it runs.")
        self.ask_slowly(f"delete jobid={int(job_id)} yes")
        if self.catalog.job(job_id) is not None:
            raise EngineError(f"The Director did not delete job {job_id}.")

    # --- Clients --------------------------------------------------------------------------------

    def running(self, client: str) -> dict[int, status.Progress]:
        """Return what a client is at, by JobId; nothing where it does not answer soon.

        It is then not asked again for some minutes.
        """
        self.require("client", client)
        key = f"bacula-silent:{self.console.address}:{self.console.port}:{quote(client)}"
        if cache.get(key):
            return {}
        try:
            return status.progress(self._status(client, "running", seconds=SOON))
        except EngineError:
            cache.set(key, True, SILENCE)
            return {}

    def client_header(self, client: str) -> dict[str, str]:
        """Return what a client's file daemon says of itself, such as "version" and "uname".

        Raises EngineUnreachable where the client is away.
        """
        self.require("client", client)
        return status.header(self._status(client, "header"))

    def _status(self, client: str, what: str, seconds: float | None = None) -> str:
        # On a connection that may hang: the Director itself waits for a client long.
        with self.console.another() as console:
            said = "".join(console.ask(f".status client={_name(client)} {what}", seconds=seconds))
        if "Failed to connect to Client" in said:
            raise EngineUnreachable(f"The Director cannot reach client '{client}'.")
        return said

    def delete_client(self, name: str) -> None:
        """Delete a client from the catalog, with its jobs; the configuration must not have it."""
        # Of a client that it does not know Bacula makes the only one that there is.
        if name in self.catalog.unames():
            self.ask_slowly(f"delete client={_name(name)} yes")

    # --- The catalog ----------------------------------------------------------------------------

    def update_cache(self, job_ids: Iterable[int]) -> None:
        """Prepare the folders of jobs for browsing; those that are prepared cost little."""
        command = f".bvfs_update jobid={numbers(job_ids)}"
        for _ in range(TIMES - 1):
            # Of two that note the same new folder one is refused, and finds it when it is back.
            if self._succeeds(command):
                return
        self.ask_slowly(command)

    def _succeeds(self, command: str) -> bool:
        try:
            self.ask_slowly(command)
        except EngineUnreachable:
            raise
        except EngineError:
            return False
        return True

    def chain(self, job_id: int) -> list[int]:
        """Return the jobs that make up the view of one: a full backup and those based on it.

        One that stored nothing is not among them.
        """
        said = "".join(self.ask(f".bvfs_get_jobids jobid={int(job_id)}"))
        return [int(number) for number in said.strip().split(",") if number]

    def bootstrap(self, wanted: Wanted) -> str:
        """Return where on the volumes the wanted things are, as bextract reads it."""
        with table_of(self, wanted) as table:
            return "".join(self.ask_slowly(f".bvfs_get_bootstrap path={table}"))

    # --- The configuration ----------------------------------------------------------------------

    def reload(self) -> None:
        """Have the configuration read again; raises EngineError if it is not taken."""
        before = self._reloaded()
        # It tells seconds: a reload within the second of the last one could not be seen.
        time.sleep(min(max(0, float(before or 0) + SECOND - time.time()), SECOND))
        said = self.ask_slowly("reload")
        if self._reloaded() == before:  # its clock may be another than ours
            time.sleep(SECOND)
            said = self.ask_slowly("reload")
        if self._reloaded() == before:
            words = " ".join("".join(said).split())[:500] or NO_WORDS
            raise EngineError(f"The Director did not take its new configuration: {words}")

    def _reloaded(self) -> str:
        return status.header("".join(self.ask(".status dir header"))).get("reloaded_epoch", "")

    def update_pool(self, name: str) -> None:
        """Let the catalog have what the configuration says of a pool."""
        self.require("pool", name)
        self.ask(f"update pool={_name(name)}")


def _name(text: str) -> str:
    return quoted(word(text))
