"""Extracting what a bootstrap chooses of the volumes on this host, with Bacula's own bextract."""

import os
import re
import select
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from ....exceptions import EngineError
from . import confine
from .storage_config import StorageConfig

POLL_SECONDS = 0.5
BLOCK = 64 * 1024
MAX_WORDS = 700  # characters of bextract's output that are quoted
# Printed when bextract waits for a volume that it does not find.
ASKS = b"press return when ready: "
COMPLAINT = re.compile(rb"error|warning|mismatch|cannot|could not|fail", re.IGNORECASE)
# Complaints about metadata, which the tar gets from the catalog.
HARMLESS = re.compile(rb" attribs\.c:\d+ |Cannot make node")
LISTED = re.compile(rb"bextract JobId 0: [-dlbcpsDL?]\S{9} ")


def extract(
    program: str, config: str, bootstrap: str, folder: Path, tick: Callable[[], None]
) -> str:
    """Extract what a bootstrap chooses below a folder; return what bextract complained of.

    Complaints need not mean that something is missing, and there may be none when it is: compare
    what is there. Nothing is written elsewhere, whatever the volumes say. Raises EngineError when
    it cannot run, fails, or lacks a volume.
    """
    storage = StorageConfig(config)
    complaints = []
    for device, media_type, part in parts(bootstrap):
        file = folder.parent / "bootstrap"
        file.write_text(part)
        reader = storage.device(device, media_type)
        command = [program, "-c", config, "-b", str(file), reader, str(folder)]
        complaints.append(_run(command, folder, tick))
        _open_folders(folder)
    return " ".join(filter(None, complaints))


def parts(bootstrap: str) -> Iterator[tuple[str, str, str]]:
    """Yield (device, media type, bootstrap) for what one device reads, in order."""
    waiting: tuple[str, str] | None = None
    text = ""
    for stanza in re.split(r"^(?=Storage=)", bootstrap, flags=re.MULTILINE):
        if not stanza.strip():
            continue
        wanted = _value(stanza, "Device"), _value(stanza, "MediaType")
        if waiting not in (None, wanted):
            yield *waiting, text
            text = ""
        waiting, text = wanted, text + stanza
    if waiting:
        yield *waiting, text


def _value(stanza: str, key: str) -> str:
    found = re.search(rf'^{key}="?([^"\n]*)', stanza, re.MULTILINE)
    return found[1] if found else ""


def _run(command: list[str], folder: Path, tick: Callable[[], None]) -> str:
    confined = [sys.executable, "-I", "-S", confine.__file__, str(folder), *command]
    words = Complaints()
    try:
        with subprocess.Popen(  # noqa: S603 - the operator's own program
            confined,
            stdin=subprocess.PIPE,  # never written to; at end of file bextract would ask for ever
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={"PATH": os.defpath, "LC_ALL": "C"},
        ) as process:
            try:
                if process.stdout:
                    _listen(process.stdout, words, tick)
            except BaseException:
                process.kill()
                raise
    except OSError as e:
        raise EngineError(f"'{command[0]}' cannot be run: {e.strerror}.") from e
    if process.returncode == confine.CANNOT:
        raise EngineError(
            f"bextract could not be confined to its folder, so it was not run: {words}"
        )
    if process.returncode != 0:
        raise EngineError(f"bextract ended with code {process.returncode}: {words}")
    return str(words)


def _open_folders(folder: Path) -> None:
    """Give the owner, who need not be root, access to all folders."""
    find = ["find", str(folder), "-xdev", "-type", "d", "!", "-perm", "-700"]
    subprocess.run([*find, "-exec", "chmod", "u+rwx", "{}", ";"], check=False)  # noqa: S603


def _listen(output: IO[bytes], words: "Complaints", tick: Callable[[], None]) -> None:
    fd = output.fileno()
    while True:
        if not select.select([fd], [], [], POLL_SECONDS)[0]:
            if words.last_line.endswith(ASKS):
                raise EngineError(f"bextract needs a volume that is missing: {words}")
        elif block := os.read(fd, BLOCK):
            words.hear(block)
        else:
            return
        tick()


class Complaints:
    """The error messages of bextract, without the names of millions of extracted files."""

    def __init__(self) -> None:
        self.last_line = b""
        self._complaints: dict[bytes, None] = {}

    def hear(self, block: bytes) -> None:
        *lines, self.last_line = (self.last_line + block).split(b"\n")
        self.last_line = self.last_line[-BLOCK:]
        for line in lines:
            if COMPLAINT.search(line) and not (HARMLESS.search(line) or LISTED.match(line)):
                self._note(line)

    def _note(self, line: bytes) -> None:
        # It prints some lines twice, to the terminal and to its log.
        line = re.sub(rb"^.*?(JobId 0|butil|acquire|read_records|bextract): ?", b"", line).strip()
        if len(self._complaints) < 20:
            self._complaints[line] = None

    def __str__(self) -> str:
        return b" ".join(self._complaints).decode(errors="replace").strip()[:MAX_WORDS]
