"""What this service adds to the configuration of a Director, in files of its own.

One process at a time changes the folder, and each change was tested before it is made. Files are
replaced one by one, in an order in which each step is a configuration that the Director accepts: a
writer may be killed at any time. Whoever comes next sees by a mark that the Director was not told.
"""

import contextlib
import fcntl
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from ...exceptions import EngineError, EngineUnreachable, WrongState
from .names import word

MODE = 0o640  # there are passwords in it, and the Director's group has to read it
MARK = ".changed"  # since the Director has read the folder
LOCK = ".lock"
NEW = ".new"
NOISE = re.compile(r"ERROR TERMINATION|Please correct configuration file")
INCLUDE = """@|"sh -c 'for f in {folder}/*.conf; do [ -f \\"$f\\" ] && echo @$f; done; true'\""""

Changes = dict[str, str | None]


def write(engine, files: Mapping[str, str]) -> list[str]:
    """Let the Director know some files, by their names; return those that are new to it.

    What others refer to comes first. Raises EngineError in the Director's words for what it does
    not accept, after which all is as it was; EngineUnreachable when it is away, which it will know
    when it is back; WrongState where the operator lets nothing be written.
    """
    return _change(engine, dict(files))


def remove(engine, names: Iterable[str]) -> list[str]:
    """Let the Director forget files; return those that it knew. Raises what ``write`` does.

    What refers to others comes first.
    """
    return _change(engine, dict.fromkeys(names))


def is_known(engine, files: Mapping[str, str | None]) -> bool:
    """Say whether the Director knows these files already; raises WrongState as ``write`` does."""
    folder = _folder(engine, files)
    return not (_differing(folder, files) or (folder / MARK).exists())


def require_accepted(engine) -> None:
    """Raise EngineError unless the Director includes the folder and accepts what is in it."""
    _test(engine, engine.config_dir, {})


def contains(engine, name: str, text: str) -> bool:
    """Say whether the Director knows a file that has a text in it."""
    folder = engine.config_dir
    return text in (_read(folder, name) or "") and not (folder / MARK).exists()


def read(engine, start: str) -> dict[str, str]:
    """Return the texts of all files whose names begin with something."""
    names = [file.stem for file in engine.config_dir.glob("*.conf")]
    found = {name: _read(engine.config_dir, name) for name in names if name.startswith(start)}
    return {name: text for name, text in found.items() if text is not None}


def _change(engine, wanted: Changes) -> list[str]:
    if not wanted or is_known(engine, wanted):
        return []
    folder = _folder(engine, wanted)
    with _locked(folder):
        changes = _differing(folder, wanted)
        if changes or (folder / MARK).exists():
            _apply(engine, folder, changes)
    return list(changes)


def _folder(engine, wanted) -> Path:
    if engine.config_dir is None:
        raise WrongState(
            "The operator lets this service add nothing to the Director's configuration: "
            f"'{next(iter(wanted))}' needs the option config_dir of the engine."
        )
    return engine.config_dir


def _apply(engine, folder: Path, changes: Changes) -> None:
    _test(engine, folder, changes)
    before = {name: _read(folder, name) for name in reversed(changes)}
    (folder / MARK).touch(MODE)
    try:
        _install(folder, changes)
        with engine.director() as director:
            director.reload()
    except EngineUnreachable:
        raise  # it reads the folder when it starts, else the next change tells it
    except (EngineError, OSError):
        _install(folder, before)
        _unmark(folder)
        raise
    _unmark(folder)


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Let nobody else change the folder while the block runs; what a killed one began goes."""
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


def _file(folder: Path, name: str) -> Path:
    return folder / f"{word(name)}.conf"


def _read(folder: Path, name: str) -> str | None:
    try:
        return os.fsdecode(_file(folder, name).read_bytes())
    except FileNotFoundError:
        return None
    except OSError as e:
        raise EngineError(f"The Director's configuration cannot be read: {e}.") from e


def _differing(folder: Path, wanted: Mapping[str, str | None]) -> Changes:
    return {name: text for name, text in wanted.items() if _read(folder, name) != text}


def _install(folder: Path, changes: Changes) -> None:
    """Put texts in place, each at once; None removes a file."""
    for name, text in changes.items():
        file = _file(folder, name)
        if text is None:
            file.unlink(missing_ok=True)
        else:
            _replace(file, os.fsencode(text))
    _sync(folder)


def _replace(file: Path, content: bytes) -> None:
    new = file.with_name(f".{file.name}{NEW}")
    new.touch(0o600)
    with new.open("wb") as stream:
        os.fchmod(stream.fileno(), MODE)
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    new.replace(file)


def _unmark(folder: Path) -> None:
    (folder / MARK).unlink(missing_ok=True)


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


# --- Testing ---------------------------------------------------------------------------------


def _test(engine, folder: Path, changes: Changes) -> None:
    """Raise EngineError in the Director's words unless it accepts the folder with some changes."""
    with tempfile.TemporaryDirectory(prefix="bacula-") as work:
        copy = Path(work) / "conf.d"
        _copy(folder, copy)
        for name, text in changes.items():
            file = _file(copy, name)
            file.unlink(missing_ok=True)
            if text is not None:
                file.write_bytes(os.fsencode(text))
        config = Path(work) / "bacula-dir.conf"
        config.write_bytes(os.fsencode(_including(engine, folder, copy)))
        said = _refusal(engine, config)
    if said:
        words = " ".join(said.replace(str(copy), str(folder)).split())[:1000]
        raise EngineError(f"The Director does not accept this configuration: {words}")


def _copy(folder: Path, copy: Path) -> None:
    ignored = shutil.ignore_patterns(LOCK, MARK, f".*{NEW}")
    try:
        shutil.copytree(folder, copy, ignore=ignored, ignore_dangling_symlinks=True)
    except OSError as e:
        raise EngineError(f"The folder config_dir '{folder}' cannot be read: {e}.") from e


def _including(engine, folder: Path, copy: Path) -> str:
    """Return the Director's own file with another folder in the place of ``folder``."""
    file = Path(engine.director_config)
    try:
        lines = os.fsdecode(file.read_bytes()).splitlines(keepends=True)
    except OSError as e:
        raise EngineError(f"The Director's file '{file}' cannot be read: {e.strerror}.") from e
    place = re.compile(rf"{re.escape(str(folder))}(?![\w.-])")
    included = [
        place.sub(str(copy), line) if line.lstrip().startswith("@") else line for line in lines
    ]
    if included == lines:
        raise EngineError(
            f"The Director's file '{file}' does not include the folder config_dir: add the line "
            f"{INCLUDE.format(folder=folder)}"
        )
    return "".join(included)


def _refusal(engine, config: Path) -> str:
    """Return what a Director says that does not accept a file, "" if it does."""
    program = engine.director_program
    try:
        done = subprocess.run(  # noqa: S603
            [program, "-t", "-c", config],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=engine.answer_seconds,
            check=False,
        )
    except OSError as e:
        raise EngineError(f"The program '{program}' cannot be run: {e.strerror}.") from e
    except subprocess.TimeoutExpired as e:
        raise EngineUnreachable(
            f"'{program} -t' has not ended within {engine.answer_seconds} seconds."
        ) from e
    if not done.returncode:
        return ""
    lines = done.stdout.decode(errors="replace").splitlines()
    # It says the same to its console and to its log.
    told = dict.fromkeys(line.strip() for line in lines if line and not NOISE.search(line))
    return "\n".join(told) or f"it ends with {done.returncode}"
