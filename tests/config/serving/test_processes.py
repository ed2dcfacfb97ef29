"""Real processes: a parent that runs children together, ended in every way there is."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from config.serving import processes
from tests.support.waiting import wait_for

PARENT = """
from functools import partial
from config.serving.processes import run_together
tasks = {{name: partial(exec, code, {{}}) for name, code in {codes!r}.items()}}
print("ended:", run_together(tasks), flush=True)
"""
STAYS = """
import os, signal, time
from pathlib import Path
signal.signal(signal.SIGTERM, lambda *_: (Path({folder!r}, "ended-{name}").touch(), os._exit(0)))
Path({folder!r}, "{name}").write_text(str(os.getpid()))
time.sleep(60)
"""


def is_running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not (stat.exists() and " Z " in stat.read_text())


@pytest.fixture
def family(tmp_path):
    """Start a parent with two children that stay; give it and their process numbers."""
    names = ["first", "second"]
    codes = {name: STAYS.format(folder=str(tmp_path), name=name) for name in names}
    code = PARENT.format(codes=codes)
    parent = subprocess.Popen(  # noqa: S603
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True
    )
    pids = [tmp_path / name for name in names]
    wait_for(lambda: all(pid.exists() and pid.read_text() for pid in pids))
    yield parent, [int(pid.read_text()) for pid in pids]
    parent.kill()
    parent.communicate()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_lets_all_of_them_end(family, number, tmp_path):
    parent, _ = family

    parent.send_signal(number)

    assert parent.communicate(timeout=20)[0] == "ended: None\n"
    assert (tmp_path / "ended-first").exists()
    assert (tmp_path / "ended-second").exists()


def test_the_end_of_one_ends_the_others(family, tmp_path):
    parent, (_, second) = family

    os.kill(second, signal.SIGTERM)

    assert parent.communicate(timeout=20)[0] == "ended: second\n"
    assert (tmp_path / "ended-first").exists()


def kill(pid, file):
    """Kill a child; return the process number of the one that takes its place."""
    file.unlink()
    os.kill(pid, signal.SIGKILL)
    wait_for(lambda: file.exists() and file.read_text())
    return int(file.read_text())


def test_a_child_that_is_killed_is_started_again(family, tmp_path):
    parent, (first, second) = family

    again = kill(second, tmp_path / "second")

    assert again != second
    assert is_running(first)
    parent.terminate()
    assert parent.communicate(timeout=20)[0] == "ended: None\n"
    assert (tmp_path / "ended-second").exists()


def test_a_child_that_is_killed_again_and_again_ends_the_others(family, tmp_path):
    parent, (_, second) = family
    for _ in range(processes.RESTARTS):
        second = kill(second, tmp_path / "second")

    os.kill(second, signal.SIGKILL)

    assert parent.communicate(timeout=20)[0] == "ended: second\n"
    assert (tmp_path / "ended-first").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="on Linux (which alone tells children)")
def test_a_parent_that_is_killed_leaves_no_orphans(family):
    parent, children = family

    parent.kill()

    wait_for(lambda: not any(is_running(child) for child in children))
