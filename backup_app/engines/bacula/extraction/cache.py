"""The folder of downloads: finished tars, and a work folder for each one in progress."""

import contextlib
import fcntl
import os
import re
import secrets
import shutil
import time
from collections.abc import Collection, Iterator
from pathlib import Path

from ....conf import conf
from ....exceptions import EngineError
from ....models.job import DOWNLOADED_WITHIN
from ...shared.trees import empty_folder

NAME = re.compile(rb"(\d+)-[0-9a-f]{16}\.tar")
IN_WORK = ".work"
LOCK = "lock"
GRACE = 60  # seconds until a new tar is recorded in its download, or a new folder is locked
FULL = 1024 * 1024  # free bytes below which a disk counts as full


class DownloadCache:
    """Keeps the tars of an engine's downloads, which are found again by their plans."""

    def __init__(self, alias: str) -> None:
        self.folder = conf.root / "bacula" / "downloads" / alias

    # --- Making a tar --------------------------------------------------------------------------

    @contextlib.contextmanager
    def work(self, job_id: int) -> Iterator["Work"]:
        """Provide a folder to make a tar in; afterwards only the finished tar remains.

        Raises EngineError if the disk fails or is full.
        """
        try:
            with self._work(job_id) as work:
                yield work
        except OSError as e:
            raise EngineError(
                f"The download of job {job_id} cannot be created in '{self.folder}': {e.strerror}."
            ) from e

    @contextlib.contextmanager
    def _work(self, job_id: int) -> Iterator["Work"]:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        name = f"{job_id}-{secrets.token_hex(8)}"
        work = Work(self.folder / f"{name}{IN_WORK}", self.folder / f"{name}.tar")
        work.folder.mkdir(mode=0o700)
        try:
            with (work.folder / LOCK).open("wb") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                work.files.mkdir(mode=0o700)
                yield work
        finally:
            _remove_folder(work.folder)

    # --- Reading one ---------------------------------------------------------------------------

    def open(self, plan: bytes) -> int:
        """Open the tar of a plan, which counts as used; FileNotFoundError if it is gone."""
        if not NAME.fullmatch(plan):
            raise EngineError("The plan of the download is damaged.")
        fd = os.open(self.folder / plan.decode(), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        with contextlib.suppress(OSError):  # of a disk that is read-only now
            os.utime(fd)
        return fd

    # --- Removing ------------------------------------------------------------------------------

    @property
    def is_empty(self) -> bool:
        return not any(self.folder.glob("*"))

    def unused(self, seconds: float = DOWNLOADED_WITHIN.total_seconds()) -> list[str]:
        """Return the names of tars that have not been read recently."""
        return [path.name for path in self._tars() if _age(path) > seconds]

    def remove(self, job_id: int) -> None:
        """Remove the finished tars of a job; one that is being made is swept up later."""
        for path in self.folder.glob(f"{int(job_id)}-*.tar"):
            path.unlink(missing_ok=True)

    def sweep(self, wanted: Collection[bytes]) -> int:
        """Remove tars that are not wanted, and folders of processes that died; return how many."""
        left = [
            path
            for path in self._tars()
            if os.fsencode(path.name) not in wanted and _age(path) > GRACE
        ]
        for path in left:
            path.unlink(missing_ok=True)
        dead = [path for path in self.folder.glob(f"*{IN_WORK}") if _is_dead(path)]
        for path in dead:
            _remove_folder(path)
        return len(left) + len(dead)

    def _tars(self) -> Iterator[Path]:
        return self.folder.glob("*.tar")


class Work:
    """``files`` is to be filled with what is extracted, ``tar`` to be written."""

    def __init__(self, folder: Path, finished: Path) -> None:
        self.folder, self._finished = folder, finished
        self.files, self.tar = folder / "files", folder / "tar"

    def require_room(self, size: int) -> None:
        """Raise EngineError unless the disk has so many bytes."""
        free = shutil.disk_usage(self.folder).free
        if size > free:
            raise EngineError(
                f"The download needs {size} bytes in '{self.folder.parent}', which has {free}."
            )

    @contextlib.contextmanager
    def reporting_full_disk(self) -> Iterator[None]:
        """Add to an EngineError that the disk is full, which extracting programs may not say."""
        try:
            yield
        except EngineError as e:
            if shutil.disk_usage(self.folder).free >= FULL:
                raise
            raise EngineError(f"The disk of '{self.folder.parent}' is full. {e}") from e

    def finish(self) -> tuple[int, bytes]:
        """Publish the tar; return its size and the plan to open it by."""
        fd = os.open(self.tar, os.O_RDONLY)
        try:
            os.fsync(fd)
            os.utime(fd)  # it is new from now on
            size = os.fstat(fd).st_size
        finally:
            os.close(fd)
        self.tar.rename(self._finished)
        return size, self._finished.name.encode()


def _age(path: Path) -> float:
    with contextlib.suppress(FileNotFoundError):
        return time.time() - path.stat().st_mtime
    return 0


def _is_dead(folder: Path) -> bool:
    """Return whether the lock of a folder is free, unless the folder is new."""
    if _age(folder) < GRACE:
        return False
    try:
        with (folder / LOCK).open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except FileNotFoundError:
        pass
    return True


def _remove_folder(folder: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            empty_folder(fd)
        finally:
            os.close(fd)
        folder.rmdir()
