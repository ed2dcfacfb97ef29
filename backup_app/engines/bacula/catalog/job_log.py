"""The lines of Bacula's log of a job: how bad each is, and which of them tell why a job failed."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ....models import JobLog

Level = JobLog.Level

# The daemon that says it; the number of the job stands in every line.
ORIGIN = re.compile(r"\s*(?P<origin>[^\n]{1,127}?) JobId \d+: ")
FATAL = "Fatal error: "
# What a file daemon could not read is marked by its indentation and these words only.
UNREAD = re.compile(r" {5}(?:Could not|Cannot) ")
# The last lines of a job: it counts there what went wrong before, which counts already.
REPORT = re.compile(r"(?:Error: |Warning: )?Bacula [^\n]+ \d+\.\d+\.\d+ \(")
# By what a verification names a file and how it differs.
DIFFERENCE = re.compile(r"(?:New file|File): | {6}\S")
MANUAL = "For help, please see"
MOUNT = re.compile(r"Please mount \w+ Volume")
SOURCE = re.compile(r"\b\w+\.c(?:pp)?:\d+(?:-\d+)? ")  # a place in Bacula's program
# A program that bpipe started, which dumped or loaded this file.
PROGRAM = re.compile(r"Error: bpipe-fd: Error closing for file (?P<file>.+): \d+")
MOST = 3  # lines of a program's that are told
LIMITS = re.compile(r"Max (?:wait|run|sched|start)[ \w]* time exceeded", re.IGNORECASE)


@dataclass(frozen=True)
class Line:
    """What a daemon said, in its own words."""

    origin: str
    words: str

    @classmethod
    def read(cls, text: str) -> "Line":
        found = ORIGIN.match(text)
        if found is None:
            return cls("", text.strip("\n"))
        return cls(found["origin"], text[found.end() :].rstrip())

    def __str__(self) -> str:
        return f"{self.origin}: {self.words}" if self.origin else self.words

    @property
    def level(self) -> str:
        if self.is_report:
            return Level.INFO
        if self.words.startswith(("Error: ", FATAL)):
            return Level.ERROR
        if self.words.startswith(("Warning: ", "Security Alert: ")) or UNREAD.match(self.words):
            return Level.WARNING
        return Level.INFO

    @property
    def is_report(self) -> bool:
        return bool(REPORT.match(self.words))

    @property
    def is_difference(self) -> bool:
        """Whether a verification names here what differs; no other job has such lines."""
        return bool(DIFFERENCE.match(self.words))

    @property
    def asks_for_volume(self) -> bool:
        """Whether a storage daemon waits for somebody to bring a volume."""
        return bool(MOUNT.match(self.words))

    @property
    def is_limit(self) -> bool:
        """Whether Bacula says that it ends a job by itself, since it waits or runs too long."""
        return bool(LIMITS.search(self.words))

    @property
    def sentence(self) -> str:
        """The words alone, in one line."""
        words = SOURCE.sub("", self.words)
        words = words.removeprefix(FATAL).removeprefix("Error: ").partition(MANUAL)[0]
        return " ".join(words.split())


def reason(lines: Iterable[Line]) -> str:
    """Return in a sentence or two why a job failed; "" where no line tells.

    What ends a job is often but what follows from the error before it of the same daemon.
    """
    lines = list(lines)
    errors = [line for line in lines if line.level == Level.ERROR or line.is_limit]
    ends = [line for line in errors if line.words.startswith(FATAL) or line.is_limit]
    if not errors:
        return ""
    end = (ends or errors)[0]
    before = [line for line in errors[: errors.index(end)] if line.origin == end.origin]
    programs = failed_programs(lines)
    told = [*before[-1:], end]
    return " ".join(programs.get(_file_of_program(line)) or line.sentence for line in told)


def failed_programs(lines: Iterable[Line]) -> dict[str, str]:
    """Return what each program that bpipe started and that failed said last, by its file."""
    said: dict[str, list[str]] = {}
    failed = []
    for line in lines:
        if file := _file_of_program(line):
            failed.append(file)
        file, _, words = line.words.partition(": ")
        said.setdefault(file, []).extend(words.splitlines())
    return {file: " ".join(said.get(file, [])[-MOST:]) for file in failed}


def _file_of_program(line: Line) -> str:
    found = PROGRAM.match(line.words)
    return found["file"] if found else ""
