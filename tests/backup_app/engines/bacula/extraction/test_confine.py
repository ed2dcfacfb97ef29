"""What bextract could be led to do runs with nothing but one folder to do it in."""

import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from backup_app.engines.bacula.extraction import confine
from tests.prerequisites import need_root

NOBODY = 65534
IN_ROW = ["/bin/sh", "-c"]


@pytest.fixture
def place():
    """A folder of anybody's, with ``inside`` to write to and something beside it."""
    # Others may not go through the folders that pytest makes.
    with TemporaryDirectory() as name:
        place = Path(name)
        place.chmod(0o755)
        (place / "inside").mkdir()
        (place / "inside").chmod(0o777)
        (place / "beside").write_text("as it was")
        (place / "beside").chmod(0o666)
        yield place


def run(place, script, user):
    python = sys.executable if user == 0 else "/usr/bin/python3"  # which nobody may run
    # From its input, as others may read nothing that is in a private home.
    command = [python, "-I", "-S", "-", str(place / "inside"), *IN_ROW, script]
    if user:
        command = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", *command]
    program = Path(confine.__file__).read_text()
    return subprocess.run(command, cwd=place, capture_output=True, text=True, input=program)


@pytest.fixture(params=[0, NOBODY], ids=["root", "nobody"])
def user(request):
    need_root()
    return request.param


def test_it_writes_below_its_folder(place, user):
    done = run(place, "mkdir inside/sub; echo new > inside/sub/file; chmod 0 inside/sub", user)

    assert (done.returncode, done.stderr) == (0, "")
    status = (place / "inside" / "sub").stat()
    assert (status.st_mode & 0o777, status.st_uid) == (0, user)


@pytest.mark.parametrize(
    "script",
    [
        "echo new > beside",
        "echo new > inside/../beside",
        "ln -s ../beside inside/link; echo new > inside/link",
        "ln beside inside/link",
        "chmod 777 beside",
        "touch beside",
        "rm beside",
        "mkdir other",
        "mv inside other",
        "mount -o remount,rw . /",
        "mount -o bind,remount,rw /",
        "umount inside; echo new > beside",
    ],
)
def test_it_changes_nothing_elsewhere(place, user, script):
    before = (place / "beside").stat()

    done = run(place, script, user)

    assert done.returncode != 0
    assert sorted(path.name for path in place.iterdir()) == ["beside", "inside"]
    assert (place / "beside").stat() == before
    assert (place / "beside").read_text() == "as it was"


def test_it_makes_no_devices(place):
    need_root()

    done = run(place, "mknod inside/null c 1 3", 0)

    assert "Operation not permitted" in done.stderr


def test_it_ends_with_who_started_it(place):
    script = "import os, subprocess, sys; subprocess.Popen(sys.argv[1:]); input(); os._exit(1)"
    inner = [sys.executable, confine.__file__, str(place / "inside"), "/bin/sleep", "60"]
    with subprocess.Popen(
        [sys.executable, "-c", script, *inner], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as outer:
        children = f"/proc/{outer.pid}/task/{outer.pid}/children"
        pid = _wait(lambda: _sleeper(children))
        outer.communicate(b"\n")

    _wait(lambda: not _is_alive(pid))


def test_where_it_cannot_be_confined_nothing_is_run(place):
    command = [sys.executable, confine.__file__, str(place / "none"), "/bin/touch", "inside/file"]

    done = subprocess.run(command, cwd=place, capture_output=True, text=True)

    assert (done.returncode, done.stderr) == (confine.CANNOT, "mount: No such file or directory\n")
    assert list((place / "inside").iterdir()) == []


def _sleeper(children):
    pids = Path(children).read_text().split()
    return next((pid for pid in pids if Path("/proc", pid, "comm").read_text() == "sleep\n"), None)


def _is_alive(pid):
    try:
        return Path("/proc", pid, "stat").read_text().split()[2] != "Z"
    except FileNotFoundError:
        return False


def _wait(condition):
    deadline = time.monotonic() + 20
    while not (found := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return found
