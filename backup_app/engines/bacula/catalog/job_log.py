"""The lines of Bacula's job logs: their severity, and which of them say why a job failed."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ....models import JobLog

Level = JobLog.Level

# Each line begins with the daemon that wrote it and the number of the job.
ORIGIN = re.compile(r"\s*(?P<origin>[^\n]{1,127}?) JobId \d+: ")
FATAL = "Fatal error: "
# A file daemon marks what it could not read only by this indentation and these words.
UNREAD = re.compile(r" {5}(?:Could not|Cannot) ")
# The report at the end of a job; the errors that it sums up have lines of their own.
REPORT = re.compile(r"(?:Error: |Warning: )?Bacula [^\n]+ \d+\.\d+\.\d+ \(")
# How a verification reports a file that differs.
DIFFERENCE = re.compile(r"(?:New file|File): | {6}\S")
MANUAL = "For help, please see"
MOUNT = re.compile(r"Please mount \w+ Volume")
SOURCE = re.compile(r"\b\w+\.c(?:pp)?:\d+(?:-\d+)? ")  # a position in Bacula's source code
CODE = re.compile(r"\[[A-Z]{2}\d{4}\] ")  # of an error, in Bacula 15
# A program that bpipe started, which dumped or loaded this file.
PROGRAM = re.compile(r"Error: bpipe-fd: Error closing for file (?P<file>.+): \d+")
MAX_LINES = 3  # last lines of a program's output that are quoted
LIMITS = re.compile(r"Max (?:wait|run|sched|start)[ \w]* time exceeded", re.IGNORECASE)


@dataclass(frozen=True)
class Line:
    """A line of a job's log; ``origin`` is the daemon that wrote it."""

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
        """Whether this names what a verification found different; only those have such lines."""
        return bool(DIFFERENCE.match(self.words))

    @property
    def asks_for_volume(self) -> bool:
        """Whether a storage daemon waits for a volume to be mounted."""
        return bool(MOUNT.match(self.words))

    @property
    def is_limit(self) -> bool:
        """Whether Bacula ends the job itself because it has waited or run for too long."""
        return bool(LIMITS.search(self.words))

    @property
    def sentence(self) -> str:
        """The words in one line, without place and kind of the error."""
        words = CODE.sub("", SOURCE.sub("", self.words))
        words = words.removeprefix(FATAL).removeprefix("Error: ").partition(MANUAL)[0]
        return " ".join(words.split())


def reason(lines: Iterable[Line]) -> str:
    """Return in a sentence or two why a job failed; "" if no line says so.

    The line that ends a job often only follows from the same daemon's error before it.
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
    """Return the last words of each program of bpipe that failed, by the file that it wrote."""
    said: dict[str, list[str]] = {}
    failed = []
    for line in lines:
        if file := _file_of_program(line):
            failed.append(file)
        file, _, words = line.words.partition(": ")
        said.setdefault(file, []).extend(words.splitlines())
    return {file: " ".join(said.get(file, [])[-MAX_LINES:]) for file in failed}


def _file_of_program(line: Line) -> str:
    found = PROGRAM.match(line.words)
    return found["file"] if found else ""
