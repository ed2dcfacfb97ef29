"""The folder that everything written goes to, and the key in it."""

import contextlib
import fcntl
import os
import secrets
import tempfile
from collections.abc import Iterator
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from django.core.management.utils import get_random_secret_key

DEMO_FILES = "demo-files"  # what the demo of the backup service backs up


def folder(path: Path) -> Path:
    """Return the data folder, made for its owner alone when it is missing."""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as e:
        raise ImproperlyConfigured(
            f"DATA_DIR is '{path}', which cannot be made: {e.strerror}."
        ) from e
    if not os.access(path, os.W_OK | os.X_OK):
        raise ImproperlyConfigured(f"DATA_DIR is '{path}', which this user cannot write to.")
    return path


@contextlib.contextmanager
def served_once(folder: Path) -> Iterator[None]:
    """Raise ImproperlyConfigured while another process is in such a block with the same folder."""
    path = folder / "serve.lock"
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as e:
        raise ImproperlyConfigured(f"'{path}' cannot be opened: {e.strerror}.") from e
    with os.fdopen(descriptor):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as e:
            raise ImproperlyConfigured(
                f"Another 'serve' has the data folder '{folder}'. Stop it, set DATA_DIR to another"
                " folder, or run 'manage.py worker' for more background workers."
            ) from e
        yield


def secret_key(path: Path) -> str:
    """Return the key kept in a file, a random one that is made on the first call."""
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
    # A link appears whole or not at all: of several processes that start together, one wins and
    # the others read its key. mkstemp gives the file mode 0600.
    handle, name = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "w") as file:
        file.write(key + "\n")
    with contextlib.suppress(FileExistsError):
        os.link(name, path)
    Path(name).unlink()
