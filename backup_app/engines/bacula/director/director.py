"""Commands to a Director."""

import re
import secrets
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from urllib.parse import quote

from django.core.cache import cache

from ....exceptions import EngineError, EngineUnreachable
from ..catalog.records import Catalog
from ..names import quoted, quoted_name, word
from . import status
from .console import Console, UnexpectedQuestion

LISTS = {
    "client": ".clients",
    "job": ".jobs",
    "fileset": ".filesets",
    "pool": ".pools",
    "schedule": ".schedule",
    "storage": ".storage",
}
STATUS_TIMEOUT = 5  # seconds; a healthy client answers in a tenth
# Seconds for which a client that did not answer is not asked, by all processes that share a cache.
# The Director waits for it for ten minutes, which occupies one of its twenty consoles.
SILENCE = 900
SECOND = 1.1  # seconds; the Director reports reload times in whole seconds
LIMIT = "While a job runs it accepts at most 32 reloads."
TIMES = 4  # attempts to prepare the folders of a job
CANCEL_TIMES, CANCEL_AFTER = 50, 0.2  # attempts to cancel a job that has just been started
CATALOG_FACTOR = 20  # times the usual limit, for commands that process the catalog

QUEUED = re.compile(r"^Job queued\. JobId=(\d+)$", re.MULTILINE)
# How a client that does not answer is told: by a line up to Bacula 9.6, and as an error by 15.
UNREACHED = re.compile("Failed to connect to Client|Unable to connect to Client|TLS Connect fail")
UNQUEUED = "is not in work queue"  # of a job that Bacula 15 has not queued yet
CHOSEN = re.compile(r"^Automatically selected (?!Catalog:).*$", re.MULTILINE)


@dataclass(frozen=True)
class CatalogSelection:
    """What to restore: the catalog's numbers of files, folders (PathId) and jobs.

    ``links`` are the (JobId, FileIndex) that hard links lead to.
    """

    jobs: Sequence[int]
    files: Sequence[int] = ()
    folders: Sequence[int] = ()
    links: Sequence[tuple[int, int]] = ()


class _Unqueued(EngineError):
    """A job can be canceled in a moment only."""


class Director:
    """A Director, over a console that is opened when it is first needed; a context manager.

    For a name that it does not know Bacula uses something else, and only mentions it. So each name
    is looked up first, and what a job was started with is compared afterwards. All methods raise
    EngineUnreachable while the Director is unreachable, and EngineError for what it refuses.
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
        """Ask with the longer time limit of commands that process the catalog."""
        return self.ask(command, seconds=self.console.seconds * CATALOG_FACTOR)

    # --- What there is ------------------------------------------------------------------------

    def version(self) -> str:
        """Return such as "9.6.7"."""
        said = "".join(self.ask("version"))
        if found := re.search(r"Version: (\S+)", said):
            return found[1]
        raise EngineError(f"The Director did not report its version: {said[:200]}")

    def names(self, kind: str) -> set[str]:
        """Return the names of all that the Director has of a ``kind``, such as "client"."""
        return {line.rstrip("\n") for line in self.ask(LISTS[kind])}

    def require(self, kind: str, name: str) -> None:
        """Raise EngineError unless the Director's configuration has a thing of this name."""
        # Filesets have no ``.defaults``.
        known = word(name) in self.names(kind) if kind == "fileset" else self._defaults(kind, name)
        if not known:
            raise self._unknown(kind, name)

    def defaults(self, kind: str, name: str) -> dict[str, str]:
        """Return the configured values of a client, job, pool or storage."""
        found = self._defaults(kind, name)
        if not found:
            raise self._unknown(kind, name)
        return found

    def _unknown(self, kind: str, name: str) -> EngineError:
        return EngineError(f"The Director has no {kind} '{name}'{self.console.scope}.")

    def _defaults(self, kind: str, name: str) -> dict[str, str]:
        lines = self.ask(f".defaults {kind}={quoted_name(name)}")
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
        words = [f"{kind}={quoted_name(name)}" for kind, name in {"job": job, **named}.items()]
        words += [f"level={quoted_name(level)}"] if level else []
        words += [f"{key}={quoted(str(value))}" for key, value in other.items()]
        return _started(
            self, f"run {' '.join(words)} comment={quoted(comment)} yes", client, fileset
        )

    def restore(
        self,
        selection: CatalogSelection,
        *,
        job: str,
        source: str,
        client: str,
        where: str,
        comment: str,
        replace: str = "always",
        **other: str,
    ) -> int:
        """Start the restore job ``job`` and return its JobId.

        It brings what was backed up of the client ``source`` to ``client``, below ``where``,
        "/" being the original place. ``replace`` says what happens to what is there: always,
        ifnewer or never.
        """
        self.require("job", job)
        for name in (source, client):
            self.require("client", name)
        with self.table_of(selection) as table:
            words = [
                f"file=?{table}",
                f"client={quoted_name(source)}",
                f"restoreclient={quoted_name(client)}",
            ]
            words += [f"restorejob={quoted_name(job)}", f"where={quoted(where)}"]
            words += [f"replace={quoted(replace)}"]
            words += [f"{key}={quoted(value)}" for key, value in other.items()]
            command = f"restore {' '.join(words)} comment={quoted(comment)} yes"
            return _started(self, command, client)

    @contextmanager
    def table_of(self, selection: CatalogSelection) -> Iterator[str]:
        """Yield the name of a table in the catalog with what is selected, until the block ends."""
        # Bacula accepts only this form: b2 and digits.
        name = f"b2{secrets.randbelow(10**15)}"
        links = [number for pair in selection.links for number in pair]
        lists = {"fileid": selection.files, "dirid": selection.folders, "hardlink": links}
        words = [f"{key}={_numbers(ids)}" for key, ids in lists.items() if ids]
        words += [f"jobid={_numbers(selection.jobs)}", f"path={name}"]
        try:
            # If it cannot use one of the lists, the only sign is that OK is missing.
            if self.ask_slowly(f".bvfs_restore {' '.join(words)}") != ["OK\n"]:
                raise EngineError("The Director could not select the files to restore.")
            yield name
        finally:
            # A table that remains does no harm.
            with suppress(EngineError):
                self.ask(f".bvfs_cleanup path={name}")

    def cancel(self, job_id: int, *, seconds: float | None = None) -> bool:
        """Cancel a job; return whether it was running."""
        command = f"cancel jobid={int(job_id)} yes"
        for _ in range(CANCEL_TIMES - 1):
            with suppress(_Unqueued):
                return self._cancel(command, seconds)
            time.sleep(CANCEL_AFTER)
        return self._cancel(command, seconds)

    def _cancel(self, command: str, seconds: float | None) -> bool:
        try:
            return "marked to be canceled" in " ".join(self.ask(command, seconds=seconds))
        except EngineError as e:
            raise _Unqueued(e.message) if UNQUEUED in e.message else e from None

    def delete_job(self, job_id: int) -> None:
        """Delete a job that has ended, and what it stored, from the catalog, if it is there."""
        # Bacula reports success for a job that never existed, and deletes running ones.
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
        """Return the progress of a client's jobs, by JobId; nothing if it does not answer soon.

        It is then not asked again for some minutes.
        """
        if not self._defaults("client", client):
            return {}  # the console may not see it
        key = f"bacula-silent:{self.console.address}:{self.console.port}:{quote(client)}"
        if cache.get(key):
            return {}
        try:
            return status.progress(self._status(client, "running", seconds=STATUS_TIMEOUT))
        except EngineError:
            cache.set(key, True, SILENCE)
            return {}

    def client_header(self, client: str, seconds: float | None = None) -> dict[str, str]:
        """Return a file daemon's description of itself, such as "version" and "uname".

        Raises EngineUnreachable if the client is, or takes longer than so many seconds.
        """
        self.require("client", client)
        return status.header(self._status(client, "header", seconds))

    def _status(self, client: str, what: str, seconds: float | None = None) -> str:
        # On a connection that may hang: the Director waits a long time for a client.
        command = f".status client={quoted_name(client)} {what}"
        limit = seconds or self.console.seconds
        with self.console.another() as console:
            try:
                said = "".join(console.ask(command, seconds=limit))
            except EngineUnreachable as e:
                raise EngineUnreachable(
                    f"Client '{client}' did not answer the Director within {limit:g} seconds."
                ) from e
            except EngineError as e:
                said = e.message
                if not UNREACHED.search(said):
                    raise
        if UNREACHED.search(said):
            raise EngineUnreachable(f"The Director cannot reach client '{client}'.")
        return said

    def delete_client(self, name: str) -> None:
        """Delete a client from the catalog, with its jobs; the configuration must not have it."""
        # For an unknown name Bacula uses the only client, if there is just one.
        if name in self.catalog.unames():
            self.ask_slowly(f"delete client={quoted_name(name)} yes")

    # --- The catalog ----------------------------------------------------------------------------

    def update_cache(self, job_ids: Iterable[int]) -> None:
        """Prepare the folders of jobs for browsing; those that are prepared cost little."""
        command = f".bvfs_update jobid={_numbers(job_ids)}"
        for _ in range(TIMES - 1):
            # If two processes add the same folder, one fails; when repeated, it finds the folder.
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

    def bootstrap(self, selection: CatalogSelection) -> str:
        """Return where on the volumes the selected files are, as bextract reads it."""
        with self.table_of(selection) as table:
            return "".join(self.ask_slowly(f".bvfs_get_bootstrap path={table}"))

    # --- The configuration ----------------------------------------------------------------------

    def reload(self) -> None:
        """Reload the configuration; raises EngineError if it is rejected."""
        before = self._reloaded()
        # Times are in seconds: a second reload within the same second would go unnoticed.
        time.sleep(min(max(0, float(before or 0) + SECOND - time.time()), SECOND))
        said = self._reload()
        if self._reloaded() == before:  # not newer: its clock may differ
            time.sleep(SECOND)
            said = self._reload()
        if self._reloaded() == before:
            words = " ".join("".join(said).split())[:500] or f"it gave no reason. {LIMIT}"
            raise EngineError(f"The Director did not accept its new configuration: {words}")

    def _reload(self) -> list[str]:
        try:
            return self.ask_slowly("reload")
        except EngineUnreachable:
            raise
        except EngineError as e:
            # Bacula 15 gives the reason that 9.6 does not.
            return [e.message, f" {LIMIT}" if "Too many" in e.message else ""]

    def _reloaded(self) -> str:
        return status.header("".join(self.ask(".status dir header"))).get("reloaded_epoch", "")

    def update_pool(self, name: str) -> None:
        """Update a pool in the catalog from the configuration."""
        self.require("pool", name)
        self.ask(f"update pool={quoted_name(name)}")


def _numbers(ids: Iterable[int]) -> str:
    return ",".join(str(int(number)) for number in ids)


def _started(director: Director, command: str, client: str, fileset: str | None = None) -> int:
    """Return the JobId of what a command starts.

    Raises EngineError, with the job canceled, if the Director used another client or fileset than
    requested, or selected anything by itself, which it does instead of refusing unknown names.
    """
    try:
        said = "".join(director.ask(command))
    except UnexpectedQuestion as e:
        # It may have started a job despite the question.
        _cancel(director, QUEUED.findall("".join(e.lines)))
        raise
    queued = QUEUED.findall(said)
    fault = _fault(director, queued, said, client, fileset)
    if fault:
        _cancel(director, queued)
        raise EngineError(fault)
    return int(queued[0])


def _fault(
    director: Director, queued: Sequence[str], said: str, client: str, fileset: str | None
) -> str:
    words = " ".join(said.split())[:500]
    if len(queued) != 1:
        return f"The Director did not start a job: {words}"
    if CHOSEN.search(said):
        return (
            f"The Director selected a resource by itself, so its job {queued[0]} was canceled: "
            f"{words}"
        )
    row = director.catalog.job(int(queued[0]))
    made_of = (row.client, row.fileset or fileset) if row else (None, None)
    if made_of != (client, fileset or made_of[1]):
        return (
            f"The Director started job {queued[0]} with client '{made_of[0]}' and fileset "
            f"'{made_of[1]}' instead of the requested ones, so the job was canceled."
        )
    return ""


def _cancel(director: Director, queued: Iterable[str]) -> None:
    for job_id in queued:
        director.cancel(int(job_id))
