"""Parses the status of daemons: lines of ``key=value``, in blocks divided by empty lines."""

import datetime as dt
import os
from dataclasses import dataclass

from ...adoption import PlannedRun

LEVELS = {"F": "Full", "D": "Differential", "I": "Incremental"}


@dataclass(frozen=True)
class Progress:
    """How far a job is on its client."""

    files: int
    size: int  # bytes that were read of it; of a restore those that were written
    path: bytes  # of the current file, b"" between two


def header(said: str) -> dict[str, str]:
    """Return the values of a status with one block."""
    return _values(said)


def progress(said: str) -> dict[int, Progress]:
    """Return the progress of each job in a client's status, by JobId."""
    blocks = [_values(block) for block in said.split("\n\n")]
    found = {_number(block, "JobId"): block for block in blocks if "JobId" in block}
    return {
        job_id: Progress(
            _number(block, "JobFiles"),
            _number(block, "ReadBytes") or _number(block, "JobBytes"),
            os.fsencode(block.get("Processing file", "")),
        )
        for job_id, block in found.items()
    }


def planned(said: str) -> list[PlannedRun]:
    """Return the backups that a Director's schedules start, by time."""
    blocks = [_values(block) for block in said.split("\n\n")]
    return sorted(
        (_planned(block) for block in blocks if block.get("type") == "B"),
        key=lambda run: run.time,
    )


def _planned(block: dict[str, str]) -> PlannedRun:
    time = dt.datetime.fromtimestamp(_number(block, "schedtime_epoch"), dt.UTC)
    level = block.get("level", "")
    return PlannedRun(
        time, block.get("name", ""), LEVELS.get(level, level), block.get("schedule", "")
    )


def _values(block: str) -> dict[str, str]:
    pairs = [line.partition("=") for line in block.splitlines() if "=" in line]
    # The first value of a key counts: the name of a file that is being read may contain such lines.
    return {key: value for key, _, value in reversed(pairs)}


def _number(block: dict[str, str], key: str) -> int:
    value = block.get(key, "")
    return int(value) if value.isdecimal() else 0
