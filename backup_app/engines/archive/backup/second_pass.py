"""Reads again what differed from the scan, this time without following any symlink.

A shell on the client enters each folder safely, and a tar reads plain names there. That takes a
process per folder, which is why not everything is read like this.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from ....lib import paths
from ....lib.paths import shown
from ..storage.tar_reader import Identity
from ..transport.shell import ENTER
from .scan import SkippedPaths
from .tar_source import AFTERWORD, FROM, TAR, RequestedFiles, TarSource
from .workspace import ToStore

REASON = "is no longer the folder that was scanned: what had not been read yet is left out"
MAX_NAMES = 500  # names of one tar
# Reads three lines for each folder: its path, what puts that before names, and names. Each tar has
# two blocks of zeros at its end, and the whole is to have them once. $@ is the tar.
SCRIPT = (
    ENTER
    + r"""
while IFS= read -r folder && IFS= read -r expression && IFS= read -r names; do
    path=$(printf '%b.' "$folder")
    if go "${path%.}"; then
        printf 'in %s\n' "$folder" >&2
        printf '%b' "$names" |
            LC_ALL=C.UTF-8 "$@" "--transform=$(printf '%b' "$expression")" FROM |
            head -c -1024
    else
        printf 'lost %s\n' "$folder" >&2
    fi
done
head -c 1024 /dev/zero
""".replace("FROM", FROM)
)
PLAIN = rb"[^A-Za-z0-9/._-]"
CODE = re.compile(r"\\0([0-7]{3})")


class SecondPass:
    """Reads what was deferred; ``replaced`` are then the paths of former folders."""

    def __init__(self, source: TarSource):
        self.replaced: list[bytes] = []
        self._source = source
        self._lost: set[bytes] = set()
        self._losses = SkippedPaths(source.progress.warn, REASON)
        self._folder = ""

    def run(self, requests: Path) -> None:
        """Store what is found now, and log what is missing; ``requests`` is a new file."""
        deferred = self._source.workspace.deferred
        with requests.open("xb") as file:
            file.writelines(lines(deferred()))
            if not file.tell():
                return
        argv = ["sh", "-c", SCRIPT, "sh", *TAR, "--blocking-factor=1"]
        requested = RequestedFiles(deferred(), lambda place: None)
        complaints = self._source.progress.outcome.warnings
        with requests.open("rb") as stdin, self._source.start(argv, stdin) as process:
            self._source.store(process, requested, self._admit, self._report)
            process.check()
            self._report(process.take_lines())
        self._losses.finish()
        self._source.require_reasons(requested, 0, complaints)

    def _admit(self, identity: Identity, place: ToStore) -> bool:
        if self._source.lacks_folder(place):
            self._lose(paths.split(place.path)[0])
            return False
        if identity.kind == "d":
            self._source.pending.discard(place.node)
            if place.kind != "d":
                self._source.progress.warn(
                    f"'{shown(place.path)}' has become a folder since the scan: its content"
                    " is left out."
                )
        elif place.kind == "d":
            self.replaced.append(place.path)
            self._lose(place.path)
        return True

    def _lose(self, folder: bytes) -> None:
        if not paths.is_in_any(folder, self._lost):
            self._lost.add(folder)
            self._losses(folder)

    def _report(self, lines: list[str]) -> None:
        for line in lines:
            word, _, rest = line.partition(" ")
            if word == "in":
                self._folder = shown(decoded(rest)).rstrip("/")
            elif word == "lost":
                self._lose(decoded(rest))
            elif word != "tar:":
                self._source.progress.warn(line)
            elif rest != AFTERWORD:
                self._source.progress.warn(f"{self._folder}/{rest}")


def lines(places: Iterable[ToStore]) -> Iterator[bytes]:
    """Yield the input of SCRIPT."""
    for folder, group in groupby(places, lambda place: paths.split(place.path)[0]):
        names = [place.name or b"." for place in group]
        before = b"" if folder == paths.ROOT else folder[1:] + b"/"
        expression = b"s,^,%b,S" % re.sub(rb"[\\&,]", rb"\\\g<0>", before)
        for start in range(0, len(names), MAX_NAMES):
            some = b"".join(name + b"\0" for name in names[start : start + MAX_NAMES])
            yield b"\n".join(map(encoded, (folder, expression, some))) + b"\n"


def encoded(text: bytes) -> bytes:
    """Return bytes as the shell's ``printf %b`` reads them, in one line."""
    return re.sub(PLAIN, lambda match: b"\\0%03o" % match[0][0], text)


def decoded(text: str) -> bytes:
    """Return the bytes that were ``encoded``."""
    return CODE.sub(lambda match: chr(int(match[1], 8)), text).encode("latin-1")
