"""Entering folders in any machine's shell while others swap them."""

import os
import shutil
import subprocess
import threading

import pytest

from backup_app.engines.archive.transport.shell import ENTER
from backup_app.engines.shared.syscalls import exchange
from tests.attacks import rounds
from tests.prerequisites import need

ENTERED = 'if go "$1"; then cat key; else echo refused; fi'
# Once it has changed there, somebody moves the folder and puts another in its place.
MOVED = """
cd() {
    command cd "$@" || return 1
    case $2 in
        ./mine) mv ../mine ../was && mkdir ../mine ;;
    esac
}
"""
AGAIN = """
count=$2
while [ "$count" -gt 0 ]; do
    count=$((count - 1))
    ENTERED
done
""".replace("ENTERED", ENTERED)


@pytest.fixture(params=["sh", "bash", "dash"])
def shell(request):
    need(shutil.which(request.param), "of shells", f"apt install {request.param}")
    return request.param


@pytest.fixture
def mine(tmp_path):
    for name in ("mine", "secret"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "key").write_text(f"{name}\n")
    return tmp_path / "mine"


def run(shell, script, *arguments):
    argv = [shell, "-c", ENTER + script, "sh", *map(str, arguments)]
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout.split()


def test_a_folder_is_entered(shell, mine):
    assert run(shell, ENTERED, mine) == ["mine"]


def test_a_symlink_is_not(shell, mine):
    (mine.parent / "link").symlink_to("secret")

    assert run(shell, ENTERED, mine.parent / "link") == ["refused"]


def test_where_it_is_then_the_kernel_says(shell, mine):
    """Bash says where a path led to before it went there."""
    assert run(shell, MOVED + ENTERED, mine) == ["refused"]


@pytest.mark.attack
def test_swapped_symlinks_do_not_reveal_a_secret(shell, mine):
    traps, over = mine.parent / "traps", threading.Event()
    traps.mkdir()
    (traps / "mine").symlink_to("secret")
    fds = [os.open(folder, os.O_RDONLY) for folder in (mine.parent, traps)]

    def swap():
        while not over.is_set():
            exchange(b"mine", *fds)

    attacker = threading.Thread(target=swap)
    attacker.start()
    try:
        answers = run(shell, AGAIN, mine, rounds(200, 10_000))
    finally:
        over.set()
        attacker.join()
        for fd in fds:
            os.close(fd)

    assert set(answers) <= {"mine", "refused"}
