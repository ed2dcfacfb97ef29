"""Reads all volumes of a restore before anything is replaced.

Bacula replaces each file as it reads it, and so finds a damaged block in the middle of a restore.
Where this host can read the volumes, Bacula's own bls reads the same blocks first.
"""

import contextlib
import os
import re
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from ....exceptions import EngineError
from ..director.director import CatalogSelection, Director
from ..names import Bacula
from .bextract import parts
from .storage_config import StorageConfig

PROGRAM = "bls"  # beside bextract
FAULT = re.compile(r"JobId 0: (?:Fatal error|Error): (?:[\w.]+\.c:\d+ )*(.*)")
TICK_SECONDS = 1
MAX_WORDS = 500  # characters


def require_readable(
    engine: Bacula, director: Director, selection: CatalogSelection, tick: Callable[[], None]
) -> None:
    """Raise EngineError if the volumes lack what is selected, or hold it damaged.

    Does nothing where this host cannot read volumes.
    """
    program = Path(engine.extract_program).with_name(PROGRAM)
    if not (engine.storage_config and program.exists()):
        return
    storage = StorageConfig(engine.storage_config)
    for device, media_type, part in parts(director.bootstrap(selection)):
        reader = storage.device(device, media_type)
        with tempfile.NamedTemporaryFile("w", suffix=".bsr") as bootstrap:
            bootstrap.write(part)
            bootstrap.flush()
            # -j lists the records of jobs only, not millions of file names.
            command = [str(program), "-j", "-c", engine.storage_config, "-b", bootstrap.name]
            said, code = _run([*command, reader], tick)
        if fault := FAULT.search(said):
            raise EngineError(f"The volumes cannot be read: {fault[1][:MAX_WORDS]}")
        if code != 0:
            raise EngineError(f"'{program}' ended with code {code}: {said[-MAX_WORDS:]}")


def _run(command: list[str], tick: Callable[[], None]) -> tuple[str, int]:
    """Return the output of a command, and its exit code."""
    try:
        with subprocess.Popen(  # noqa: S603 - the operator's own program
            command,
            stdin=subprocess.DEVNULL,  # so that it does not wait for a missing volume
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={"PATH": os.defpath, "LC_ALL": "C"},
        ) as process:
            try:
                return _heard(process, tick), process.returncode
            except BaseException:
                process.kill()
                raise
    except OSError as e:
        raise EngineError(f"'{command[0]}' cannot be run: {e.strerror}.") from e


def _heard(process: subprocess.Popen[bytes], tick: Callable[[], None]) -> str:
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=TICK_SECONDS)[0].decode(errors="replace")
        tick()
