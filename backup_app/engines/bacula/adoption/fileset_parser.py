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
class ParsedFileset:
    """The parts that a ``Fileset`` can hold; others, such as regular expressions, are dropped."""

    include: list[dict[str, str]] = field(default_factory=list)
    exclude: list[str] = field(default_factory=list)
    options: dict[str, bool | int] = field(default_factory=dict)


def read(answer: str) -> ParsedFileset:
    """Return the fileset that the output of ``show fileset=`` describes."""
    parsed, letters = ParsedFileset(), ""
    for found in filter(None, map(LINE.fullmatch, _lines(answer))):
        kind, value = found["kind"], found["value"]
        if kind == "O":
            letters = DETAILS.sub("", value)
            _note_options(parsed, letters)
        elif kind == "I" and ABSOLUTE.match(value):
            parsed.include.append({"path": value})
        elif kind == "E" or (kind in WILD and EXCLUDES in letters):
            parsed.exclude.append(value)
    return parsed


def _lines(answer: str) -> Iterable[str]:
    # A trailing space may be part of a name.
    return answer.replace("\r", "").split("\n")


def _note_options(parsed: ParsedFileset, letters: str) -> None:
    if EXCLUDES in letters:
        return
    parsed.options["one_filesystem"] = WHOLE not in letters
    if found := GZIP.search(letters):
        parsed.options["compression"] = int(found[1])
