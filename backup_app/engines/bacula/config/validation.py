"""Tests configurations before the Director has to load them."""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from ....exceptions import EngineError, EngineUnreachable
from ..names import Bacula, word

HIDDEN = ".*"  # files to ignore
NOISE = re.compile(r"ERROR TERMINATION|Please correct configuration file")
INCLUDE = """@|"sh -c 'for f in {folder}/*.conf; do [ -f \\"$f\\" ] && echo @$f; done; true'\""""

Changes = dict[str, str | None]  # texts by the names of their files; None is to be removed


def file_of(folder: Path, name: str) -> Path:
    """Return the file of a name in the folder config_dir; raises EngineError for a wrong one."""
    return folder / f"{word(name)}.conf"


def require(engine: Bacula, folder: Path, changes: Changes) -> None:
    """Raise EngineError with the Director's message unless it accepts the changed folder."""
    with tempfile.TemporaryDirectory(prefix="bacula-") as work:
        copy = Path(work) / "conf.d"
        _copy(folder, copy)
        for name, text in changes.items():
            file = file_of(copy, name)
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
    try:
        shutil.copytree(
            folder, copy, ignore=shutil.ignore_patterns(HIDDEN), ignore_dangling_symlinks=True
        )
    except OSError as e:
        raise EngineError(f"The folder config_dir '{folder}' cannot be read: {e}.") from e


def _including(engine: Bacula, folder: Path, copy: Path) -> str:
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


def _refusal(engine: Bacula, config: Path) -> str:
    """Return why a Director does not accept a file, "" if it does."""
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
    # It prints the same to its console and to its log.
    told = dict.fromkeys(line.strip() for line in lines if line and not NOISE.search(line))
    return "\n".join(told) or f"it ends with {done.returncode}"
