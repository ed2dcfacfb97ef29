"""Reading what is to be restored before anything is replaced by it.

Bacula puts each file in place as it reads it, and finds out in the middle that a block is damaged.
Where volumes can be read on this host, its own bls reads the same blocks first, and keeps nothing.
"""

import contextlib
import os
import re
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from ....exceptions import EngineError
from ..director.director import Director
from ..director.selection_table import Wanted
from ..names import Bacula
from .bextract import parts
from .storage_config import StorageConfig

PROGRAM = "bls"  # beside bextract
FAULT = re.compile(r"JobId 0: (?:Fatal error|Error): (?:[\w.]+\.c:\d+ )*(.*)")
TICK_SECONDS = 1
MOST_WORDS = 500  # characters


def require_readable(
    engine: Bacula, director: Director, wanted: Wanted, tick: Callable[[], None]
) -> None:
    """Raise EngineError if the volumes do not hold what is wanted, or hold it damaged.

    Does nothing where this host cannot read volumes.
    """
    program = Path(engine.extract_program).with_name(PROGRAM)
    if not (engine.storage_config and program.exists()):
        return
    storage = StorageConfig(engine.storage_config)
    for device, media_type, part in parts(director.bootstrap(wanted)):
        reader = storage.device(device, media_type)
        with tempfile.NamedTemporaryFile("w", suffix=".bsr") as bootstrap:
            bootstrap.write(part)
            bootstrap.flush()
            # By the records of jobs alone, so that no names of files are told.
            command = [str(program), "-j", "-c", engine.storage_config, "-b", bootstrap.name]
            said, code = _run([*command, reader], tick)
        if fault := FAULT.search(said):
            raise EngineError(f"The volumes cannot be read: {fault[1][:MOST_WORDS]}")
        if code != 0:
            raise EngineError(f"'{program}' ended with code {code}: {said[-MOST_WORDS:]}")


def _run(command: list[str], tick: Callable[[], None]) -> tuple[str, int]:
    """Return what a command has said, and its exit code."""
    try:
        with subprocess.Popen(  # noqa: S603 - the operator's own program
            command,
            stdin=subprocess.DEVNULL,  # so that it waits for no volume
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
