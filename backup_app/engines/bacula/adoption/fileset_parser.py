"""Reads the Director's description of a FileSet, as far as a fileset of ours can express it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

ABSOLUTE = re.compile(r"/|[A-Za-z]:[/\\]")
LINE = re.compile(r" {6}(?P<kind>[A-Z]{1,2}) (?P<value>.+)")
# Letters of options that are followed by parameters up to a colon.
DETAILS = re.compile(r"[VCJ][^:]*:")
GZIP = re.compile(r"Z([1-9])")
WHOLE, EXCLUDES = "f", "e"  # all file systems; this block names what is left out
WILD = ("W", "WD", "WF", "WB")


@dataclass
class Shown:
    """Values of a fileset of ours; what else Bacula has, such as regular expressions, is not."""

    include: list[dict[str, str]] = field(default_factory=list)
    exclude: list[str] = field(default_factory=list)
    options: dict[str, bool | int] = field(default_factory=dict)


def read(answer: str) -> Shown:
    """Return what ``show fileset=`` answers."""
    shown, letters = Shown(), ""
    for found in filter(None, map(LINE.fullmatch, _lines(answer))):
        kind, value = found["kind"], found["value"]
        if kind == "O":
            letters = DETAILS.sub("", value)
            _note_options(shown, letters)
        elif kind == "I" and ABSOLUTE.match(value):
            shown.include.append({"path": value})
        elif kind == "E" or (kind in WILD and EXCLUDES in letters):
            shown.exclude.append(value)
    return shown


def _lines(answer: str) -> Iterable[str]:
    # A blank at the end may be a name's.
    return answer.replace("\r", "").split("\n")


def _note_options(shown: Shown, letters: str) -> None:
    if EXCLUDES in letters:
        return
    shown.options["one_filesystem"] = WHOLE not in letters
    if found := GZIP.search(letters):
        shown.options["compression"] = int(found[1])
