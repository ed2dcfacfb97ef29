"""Writes this service's files to the folder that a Director's configuration includes.

One process at a time changes the folder, and each change was tested before it is made. Files are
replaced one by one, in an order in which each step is a configuration that the Director accepts: a
writer may be killed at any time. A mark tells the next writer that the Director has not reloaded.
"""

import contextlib
import fcntl
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from ....exceptions import EngineError, EngineUnreachable, WrongState
from ...shared.durable import sync, sync_path
from ..names import Bacula
from . import validation
from .validation import Changes, file_of

MODE = 0o640  # it contains passwords, and the Director's group must be able to read it
MARK = ".changed"  # exists while the Director has not reloaded a change
LOCK = ".lock"
NEW = ".new"


def write(engine: Bacula, files: Mapping[str, str]) -> list[str]:
    """Write files, given by name, and reload the Director; return the names that had changed.

    Files that others refer to come first. Raises EngineError with the Director's message for what
    it does not accept, after which nothing has changed; EngineUnreachable while it is unreachable:
    it then reads the files when it starts; WrongState without the option config_dir.
    """
    return _change(engine, dict(files))


def remove(engine: Bacula, names: Iterable[str]) -> list[str]:
    """Remove files and reload the Director; return the names that existed; raises as ``write``.

    Files that refer to others come first.
    """
    return _change(engine, dict.fromkeys(names))


def is_known(engine: Bacula, files: Mapping[str, str | None]) -> bool:
    """Return whether the Director has loaded these files; raises WrongState as ``write``."""
    folder = _folder(engine, files)
    return not (_differing(folder, files) or (folder / MARK).exists())


def contains(engine: Bacula, name: str, text: str) -> bool:
    """Return whether the Director has loaded a file with this text in it."""
    folder = engine.config_dir
    if folder is None:
        return False
    return text in (_read(folder, name) or "") and not (folder / MARK).exists()


def read(engine: Bacula, start: str) -> dict[str, str]:
    """Return the texts of all files whose names begin with ``start``."""
    folder = _folder(engine, [start])
    names = [file.stem for file in folder.glob("*.conf")]
    found = {name: _read(folder, name) for name in names if name.startswith(start)}
    return {name: text for name, text in found.items() if text is not None}


def _change(engine: Bacula, files: Changes) -> list[str]:
    if not files or is_known(engine, files):
        return []
    folder = _folder(engine, files)
    with _locked(folder):
        changes = _differing(folder, files)
        if changes or (folder / MARK).exists():
            _apply(engine, folder, changes)
    return list(changes)


def _folder(engine: Bacula, files: Iterable[str]) -> Path:
    if engine.config_dir is None:
        raise WrongState(
            f"'{next(iter(files))}' cannot be added to the Director's configuration: the engine's "
            "option config_dir is not set."
        )
    return engine.config_dir


def _apply(engine: Bacula, folder: Path, changes: Changes) -> None:
    validation.require(engine, folder, changes)
    before = {name: _read(folder, name) for name in reversed(changes)}
    (folder / MARK).touch(MODE)
    try:
        _install(folder, changes)
        with engine.director() as director:
            director.reload()
    except EngineUnreachable:
        raise  # the Director reads the folder when it starts; else the next change reloads it
    except (EngineError, OSError):
        _install(folder, before)
        _unmark(folder)
        raise
    _unmark(folder)


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Lock the folder while the block runs; remove the leftovers of a killed writer."""
    try:
        handle = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as e:
        raise EngineError(f"The folder config_dir '{folder}' cannot be used: {e.strerror}.") from e
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        for left in folder.glob(f".*{NEW}"):
            left.unlink()
        yield
    except OSError as e:
        raise EngineError(f"The Director's configuration cannot be changed: {e}.") from e
    finally:
        os.close(handle)


def _read(folder: Path, name: str) -> str | None:
    try:
        return os.fsdecode(file_of(folder, name).read_bytes())
    except FileNotFoundError:
        return None
    except OSError as e:
        raise EngineError(f"The Director's configuration cannot be read: {e}.") from e


def _differing(folder: Path, files: Mapping[str, str | None]) -> Changes:
    return {name: text for name, text in files.items() if _read(folder, name) != text}


def _install(folder: Path, changes: Changes) -> None:
    """Replace each file atomically; None removes it."""
    for name, text in changes.items():
        file = file_of(folder, name)
        if text is None:
            file.unlink(missing_ok=True)
        else:
            _replace(file, os.fsencode(text))
    sync_path(folder)


def _replace(file: Path, content: bytes) -> None:
    new = file.with_name(f".{file.name}{NEW}")
    new.touch(0o600)
    with new.open("wb") as stream:
        os.fchmod(stream.fileno(), MODE)
        stream.write(content)
        sync(stream)
    new.replace(file)


def _unmark(folder: Path) -> None:
    (folder / MARK).unlink(missing_ok=True)
