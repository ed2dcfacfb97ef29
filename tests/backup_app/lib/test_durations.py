"""Durations that several processes count together."""

import subprocess
import sys

import pytest

from backup_app.lib.durations import BOUNDS, Durations

# Forked from a process without threads, as web workers are; one is killed and replaced.
SERVER = """
import os, signal
from backup_app.lib.durations import Durations

durations = Durations(size=2)
durations.add("status")
durations.observe("status", 0.5)
for number in range(3):
    if not (child := os.fork()):
        for _ in range(1000):
            durations.observe("status", 0.002)
        os.kill(os.getpid(), signal.SIGKILL)
    if number:
        os.waitpid(child, 0)
os.wait()
counts, seconds = durations.read()["status"]
print(counts[0], counts[-1], round(seconds, 3))
"""


@pytest.fixture
def durations():
    made = Durations(size=2)
    made.add("status")
    made.add("restore")
    return made


def test_a_duration_counts_for_its_bound_and_all_above(durations):
    for seconds in (0.005, 0.3, 99):
        durations.observe("restore", seconds)

    counts, seconds = durations.read()["restore"]

    assert counts == [1] * BOUNDS.index(0.5) + [2] * (len(BOUNDS) - BOUNDS.index(0.5)) + [3]
    assert seconds == pytest.approx(99.305)


def test_what_was_never_measured_is_absent(durations):
    with pytest.raises(ZeroDivisionError), durations.measured("status"):
        1 / 0  # noqa: B018 - is measured too

    assert list(durations.read()) == ["status"]


def test_processes_count_together_and_what_one_counted_lasts():
    ran = subprocess.run([sys.executable, "-c", SERVER], capture_output=True, text=True, check=True)

    assert ran.stdout.split() == ["3000.0", "3001.0", "6.5"]
