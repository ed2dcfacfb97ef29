"""What a topic reports: one line each."""

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    OK = "ok"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class Finding:
    """A sentence on one thing, such as a storage, and what to do if it is not in order."""

    state: State
    message: str
    remedy: str = ""
    subject: str = ""


def ok(message: str, subject: str = "") -> Finding:
    return Finding(State.OK, message, subject=subject)


def failed(message: str, remedy: str = "", subject: str = "") -> Finding:
    return Finding(State.FAILED, message, remedy, subject)


def skipped(message: str, subject: str = "") -> Finding:
    return Finding(State.SKIPPED, message, subject=subject)
