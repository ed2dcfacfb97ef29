"""Downloads: the tar of a view is made once, below ``BACKUP_ROOT``, and stays while it is read.

Where this host can read the volumes bextract takes the files out of them; else a restore to this
host's own file daemon does.
"""

import os
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing

from ....exceptions import EngineError, NotFound, TooLarge
from ....models import Download, Job
from ...values import Selection, Tick, no_tick
from ..director.director import CatalogSelection
from ..names import Bacula
from . import bextract, restore_to_host
from .cache import DownloadCache, Work
from .members import Member, members
from .tar_writer import Tar

BLOCK = 256 * 1024
BUFFER = 1024 * 1024
TICK_EVERY = 1000  # members
MAX_PART = 1024**3  # bytes of a selection: more would be downloaded as a whole backup


def make_tar(engine: Bacula, job: Job, tick: Tick = no_tick) -> tuple[int, bytes]:
    """Make the tar of a backup's view; return its size, and the plan to open it by.

    Raises EngineError for a view that does not come back whole, in the words of who extracts it.
    """
    chain = Chain(engine, job, tick)
    with DownloadCache(engine.alias).work(job.pk) as work:
        _make(engine, job, chain, chain.room(), work, tick)
        return work.finish()


def make_part(
    engine: Bacula, job: Job, selection: Selection, tick: Tick = no_tick
) -> tuple[int, "OpenTar"]:
    """Make the tar of a part of a view, which goes when it is closed; return its size as well.

    Raises TooLarge for more than people wait for, and EngineError as ``make_tar`` does.
    """
    chain = Chain(engine, job, tick, selection)
    with DownloadCache(engine.alias).work(job.pk) as work:
        room = chain.room()
        if room > MAX_PART:
            raise TooLarge(
                f"Bacula extracts what is selected before it is sent: with {room} bytes it is more"
                f" than {MAX_PART}. Restore it, or download the whole backup."
            )
        _make(engine, job, chain, room, work, tick)
        return work.tar.stat().st_size, OpenTar(job, os.open(work.tar, os.O_RDONLY | os.O_CLOEXEC))


def _make(engine: Bacula, job: Job, chain: "Chain", room: int, work: Work, tick: Tick) -> None:
    work.require_room(room)
    with work.reporting_full_disk():
        words = _extract(engine, job, chain, work, tick)
        try:
            _write(chain, work, is_doubtful=bool(words))
        except EngineError as e:
            raise EngineError(f"{e} {words}".strip()) from e


class Chain:
    """The Bacula jobs that a backup's view consists of, or a part of the view."""

    def __init__(self, engine: Bacula, job: Job, tick: Tick, part: Selection | None = None) -> None:
        self._reader, self._tick, self._part = engine.reader(), tick, part
        numbers = job.sources.values_list("engine_job_id", flat=True)
        self.job_ids: Sequence[int] = sorted(number for number in numbers if number is not None)
        self.outer_links: list[tuple[int, int]] = []
        self._require_files(job)

    def _require_files(self, job: Job) -> None:
        """Raise EngineError where Bacula has pruned what the view consists of."""
        rows = self._reader.jobs_by_id(self.job_ids)
        for job_id in self.job_ids:
            if job_id not in rows or rows[job_id].is_purged:
                raise EngineError(
                    f"Bacula's catalog no longer has the files of its job {job_id}, which backup"
                    f" {job.pk} consists of."
                )

    def room(self) -> int:
        """Return how many bytes the view takes at most while its tar is made.

        Notes in ``outer_links`` what hard links lead to that is not in the view itself.
        """
        size = largest = 0
        targets: set[tuple[int, int]] = set()
        for member in self.members():
            if member.link:
                targets.add(member.link)
            elif member.is_regular:
                size, largest = size + member.size, max(largest, member.size)
        if targets:
            self.outer_links = sorted(targets - {each.place for each in self.members()})
        return size + largest

    def members(self) -> Generator[Member, None, None]:
        """Yield the view; close this when it is not read to its end."""
        with closing(members(self._reader, self.job_ids, self._part)) as found:
            for number, member in enumerate(found):
                if number % TICK_EVERY == 0:
                    self._tick()
                yield member

    def wanted(self) -> CatalogSelection | None:
        """Return what to extract, None for nothing; it is known once the view is cached."""
        if self._part:
            files = [file_id for file_id, _ in self._part.files]
            folders = [path_id for path_id, _ in self._part.nodes]
        else:
            found = self._reader.rows(ROOTS, [self.job_ids])
            files, folders = [], [path_id for (path_id,) in found]
        if not (files or folders):
            return None
        return CatalogSelection(self.job_ids, files, folders, self.outer_links)


ROOTS = """
SELECT h.pathid FROM pathhierarchy h JOIN path p ON p.pathid = h.ppathid
WHERE p.path = '' AND EXISTS (
    SELECT 1 FROM pathvisibility v WHERE v.pathid = h.pathid AND v.jobid = ANY(%s)
)
"""


def _extract(engine: Bacula, job: Job, chain: Chain, work: Work, tick: Tick) -> str:
    if not (engine.storage_config or engine.spool_client):
        raise EngineError(
            f"The engine '{engine.alias}' cannot make downloads:"
            " its OPTIONS have neither storage_config nor spool_client."
        )
    with engine.director() as director:
        director.update_cache(chain.job_ids)
        wanted = chain.wanted()
        if wanted is None:
            return ""  # a backup of nothing
        if not engine.storage_config:
            return restore_to_host.restore(engine, director, job, wanted, work, tick)
        bootstrap = director.bootstrap(wanted)
    return bextract.extract(
        engine.extract_program, engine.storage_config, bootstrap, work.files, tick
    )


def _write(chain: Chain, work: Work, *, is_doubtful: bool) -> None:
    fd = os.open(work.files, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        with work.tar.open("xb", buffering=BUFFER) as file:
            os.fchmod(file.fileno(), 0o600)
            with closing(chain.members()) as members_of_view:
                Tar(file, fd, is_doubtful=is_doubtful).write(members_of_view)
    finally:
        os.close(fd)


def open_tar(engine: Bacula, job: Job, plan: bytes) -> "OpenTar":
    """Return a reader of a tar that was made."""
    try:
        return OpenTar(job, DownloadCache(engine.alias).open(plan))
    except FileNotFoundError as e:
        # Without its record the next request makes the tar again.
        Download.objects.filter(job=job, plan=plan).delete()
        raise NotFound(f"The download of job {job.pk} has been removed. Ask for it again.") from e
    except OSError as e:
        raise EngineError(f"The download of job {job.pk} cannot be read: {e.strerror}.") from e


class OpenTar:
    """Reads any part of a tar; several may read it at once."""

    def __init__(self, job: Job, fd: int) -> None:
        # Closed with the last reference, also where nobody has begun to read.
        self._file = os.fdopen(fd, "rb", buffering=0)
        self._fd = fd

    def __enter__(self) -> "OpenTar":
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._file.close()

    def read(self, offset: int, length: int) -> Iterator[bytes]:
        """Yield the bytes of a range, as far as the tar goes, in blocks; raises EngineError."""
        while length > 0 and (block := self._block(offset, min(length, BLOCK))):
            yield block
            offset, length = offset + len(block), length - len(block)

    def _block(self, offset: int, length: int) -> bytes:
        try:
            return os.pread(self._fd, length, offset)
        except OSError as e:
            raise EngineError(f"The download cannot be read: {e.strerror}.") from e


def tidy(engine: Bacula) -> int:
    """Remove downloads that have not been read for a day, and leftovers; return how many.

    The next request for one makes it again.
    """
    cache = DownloadCache(engine.alias)
    if cache.is_empty:
        return 0
    plans = Download.objects.filter(job__engine=engine.alias).exclude(plan=b"")
    plans.filter(plan__in=[name.encode() for name in cache.unused()]).delete()
    wanted = {bytes(plan) for plan in plans.values_list("plan", flat=True)}
    return cache.sweep(wanted)


def remove(engine: Bacula, job: Job) -> None:
    """Remove the tar of a job that is removed."""
    DownloadCache(engine.alias).remove(job.pk)
