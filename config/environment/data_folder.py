"""The folder for all data that the service writes, and the secret key in it."""

import contextlib
import fcntl
import os
import secrets
import tempfile
from collections.abc import Iterator
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from django.core.management.utils import get_random_secret_key

DEMO_FILES = "demo-files"  # backed up by the demo of the backup service
MEDIA = "media"
DATABASE, LOCK = "db.sqlite3", "serve.lock"
OURS = ["secret.key", "demo.env", LOCK, DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", MEDIA]


def folder(path: Path) -> Path:
    """Return the data folder, made for its owner alone when it is missing."""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as e:
        raise ImproperlyConfigured(
            f"DATA_DIR is '{path}', which cannot be created: {e.strerror}."
        ) from e
    if not os.access(path, os.W_OK | os.X_OK):
        raise ImproperlyConfigured(f"DATA_DIR is '{path}', which this user cannot write to.")
    _close_to_others(path)
    return path


def private_file(path: Path) -> None:
    """Make an empty file that only its owner can read, unless it is there."""
    with contextlib.suppress(OSError):  # the next access reports the error
        os.close(os.open(path, os.O_CREAT, 0o600))


def _close_to_others(folder: Path) -> None:
    """Make our files in a folder readable by their owner alone, even if the folder is not."""
    for name in OURS:
        # In a folder that others can write to, they can replace a file with a link.
        with contextlib.suppress(OSError), _opened(folder / name, os.O_NOFOLLOW) as descriptor:
            found = os.fstat(descriptor)
            if found.st_uid == os.geteuid():
                os.fchmod(descriptor, found.st_mode & 0o700)


@contextlib.contextmanager
def _opened(path: Path, flags: int) -> Iterator[int]:
    descriptor = os.open(path, flags | os.O_NONBLOCK, 0o600)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def served_once(folder: Path) -> Iterator[None]:
    """Raise ImproperlyConfigured while another process is in such a block with the same folder."""
    with _opened(folder / LOCK, os.O_RDWR | os.O_CREAT) as descriptor:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as e:
            raise ImproperlyConfigured(
                f"Another 'serve' is using the data folder '{folder}'. Stop it, set DATA_DIR to"
                " another folder, or run 'manage.py worker' for more background workers."
            ) from e
        yield


def secret_key(path: Path) -> str:
    """Return the key kept in a file; the first call generates it."""
    if not path.exists():
        _keep(path, get_random_secret_key() + secrets.token_urlsafe(24))
    try:
        key = path.read_text().strip()
    except OSError as e:
        raise ImproperlyConfigured(f"The key in '{path}' cannot be read: {e.strerror}.") from e
    if not key:
        raise ImproperlyConfigured(f"The key in '{path}' is empty: delete the file for a new one.")
    return key


def _keep(path: Path, key: str) -> None:
    # A link appears complete or not at all: if several processes start together, one wins and
    # the others read its key. mkstemp gives the file mode 0600.
    handle, name = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "w") as file:
        file.write(key + "\n")
    with contextlib.suppress(FileExistsError):
        os.link(name, path)
    Path(name).unlink()
