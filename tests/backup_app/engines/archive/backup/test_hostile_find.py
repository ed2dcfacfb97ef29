"""What a machine lists whose ``find`` is not the one that we know, or whose users mean harm."""

import os
import shutil
import sqlite3
from pathlib import Path

import pytest

from backup_app.engines.archive.backup.scan import Scan
from backup_app.engines.archive.backup.workspace import Workspace
from backup_app.engines.archive.transport.machines import LocalMachine
from backup_app.exceptions import EngineError

from ....support.local_backups import back_up, local_client, local_roots, stored
from ....support.restores import restore

TIMES = "1700000000.0000000000 1700000000.0000000000"


class Endless(Exception):
    """The scan did not end by itself."""


@pytest.fixture
def hostile(tmp_path, monkeypatch):
    """Return what puts a script in the place of find, and lists /srv with it."""

    def scan(script):
        program = tmp_path / "bin" / "find"
        program.parent.mkdir()
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
        with Workspace(tmp_path / "w") as workspace:
            ticks = iter(range(100_000))
            tick = lambda: next(ticks, None) is None and raise_endless()  # noqa: E731
            found = Scan(LocalMachine(), workspace, complain=print, warn=print, tick=tick)
            found.run([b"/srv"])
            return list(workspace.names())

    return scan


def raise_endless():
    raise Endless


def printing(*paths, letter="f", size=1, times=TIMES, inode=5, owner="0:0:644"):
    above = f"printf '%s\\0' 'd 2 1 {TIMES} 2 0:0:755' /"
    lines = [f"d 2 1 {TIMES} 3 0:0:755", "./srv"]
    for path in paths:
        lines += [f"{letter} 1 {size} {times} {inode} {owner}", path]
    listed = "\n".join(f"printf '%s\\0' '{line}'" for line in lines)
    return f'if [ "$1" = / ]; then {above}; exit; fi\n{listed}'


@pytest.mark.parametrize(
    "path",
    [
        *("./srv/..", "./srv/.", "./srv/", "./srv/../etc/shadow", "./srv//x", "./etc/shadow"),
        *("srv/x", "./srv/unlisted/x"),
    ],
)
def test_a_path_that_was_not_asked_for_is_refused(hostile, path):
    with pytest.raises(EngineError, match="find listed"):
        hostile(printing(path))


@pytest.mark.parametrize(
    "values",
    [
        {"size": -1},
        {"size": 2**63},
        {"size": "9" * 5000},
        {"size": "x"},
        {"times": "1 2"},
        {"times": "nan.0000000000 0"},
        {"inode": 2**65},
        {"owner": "0:0:644 more"},
    ],
)
def test_numbers_that_no_file_has_are_refused(hostile, values):
    with pytest.raises(EngineError, match=r"find printed an? (invalid line|number out of range)"):
        hostile(printing("./srv/x", **values))


def test_the_inodes_of_all_file_systems_are_kept(hostile):
    assert hostile(printing("./srv/x", inode=2**64 - 1)) == [b"/", b"/srv", b"/srv/x"]


def test_kinds_that_no_tar_holds_are_left_out(hostile, capsys):
    assert hostile(printing("./srv/door", letter="D")) == [b"/", b"/srv"]
    assert capsys.readouterr().out == ""


def test_of_many_sockets_the_first_are_named(hostile, capsys, monkeypatch):
    monkeypatch.setattr("backup_app.engines.archive.backup.scan.NAMED", 1)

    assert hostile(printing("./srv/a", "./srv/b", "./srv/c", letter="s")) == [b"/", b"/srv"]
    assert capsys.readouterr().out.splitlines() == [
        "'/srv/a' is a socket and is left out.",
        "2 more: each is a socket and is left out.",
    ]


def test_a_line_without_fields_is_refused(hostile):
    with pytest.raises(EngineError, match="find printed an invalid line"):
        hostile("printf 'hello\\0/\\0'")


def test_a_path_without_an_end_takes_no_memory(hostile):
    with pytest.raises(EngineError, match="without a NUL"):
        hostile(f"printf 'd 2 1 {TIMES} 2 0:0:755 /'; exec cat /dev/zero | tr '\\0' x")


def test_a_list_without_end_leaves_room_on_the_disk(hostile, tmp_path, monkeypatch):
    free = shutil.disk_usage(tmp_path).free
    monkeypatch.setattr(Workspace.__init__, "__kwdefaults__", {"share": 4_000_000 / free})
    line = f"f 1 1 {TIMES} 5 0:0:644\\0./srv/%d\\0"
    endless = f"awk 'BEGIN {{ while (1) printf \"{line}\", n++ }}'"

    with pytest.raises(sqlite3.OperationalError, match="database or disk is full"):
        hostile(f"{printing()}\nexec {endless}")

    assert (tmp_path / "w").stat().st_size < 5_000_000


# --- Users of a machine that is backed up -------------------------------------------------------


@pytest.fixture
def client(db, place):
    """A client without a file."""
    return local_client(place)


def test_what_a_find_that_failed_did_not_list_is_not_gone(client, tmp_path, program):
    for name in ("kept", "unlisted"):
        (tmp_path / "tree" / name).touch()
    back_up(client)
    (tmp_path / "tree/unlisted").unlink()
    program("find", '{real} "$@"; exit 3')

    job = back_up(client, "Incremental")

    assert f"find failed (3) for '{tmp_path}/tree'." in job.run.messages
    assert "-" not in stored(job).values()


def test_what_programs_say_of_changed_files_is_logged(client, tmp_path, program):
    file, once = tmp_path / "tree/file", tmp_path / "once"
    file.touch()
    script = f"if [ -e {once} ]; then echo 'sh: odd' >&2; echo 'tar: %s' >&2; fi; touch {once}"
    script += f'; echo "$$" > {file}; exec {{real}} "$@"'
    program("tar", script % "Exiting with failure status due to previous errors")

    job = back_up(client)

    assert [line for line in job.run.lines if line[0] != "info"] == [("warning", "sh: odd")]


def test_a_member_that_was_not_requested_is_refused(client, tmp_path, program):
    (tmp_path / "tree/file").touch()
    program("tar", "exec {real} --create --file=- --format=posix --directory=/ etc/passwd")

    with pytest.raises(EngineError, match="The tar has '/etc/passwd', which was not requested"):
        back_up(client)


def test_no_time_of_a_file_makes_backups_fail(client, tmp_path):
    for name, year in (("late", 2400), ("early", 1902)):
        file = tmp_path / "tree" / name
        file.write_text(name)
        os.utime(file, ((year - 1970) * 31_556_952,) * 2)

    full = back_up(client)
    again = back_up(client, "Incremental")

    assert (full.files, full.run.lines[-1][0]) == (2, "info")
    assert again.files == 0


def test_folders_too_deep_to_be_read_are_left_out(client, tmp_path):
    (tmp_path / "tree" / "file").touch()
    top = os.open(tmp_path / "tree", os.O_RDONLY)
    fd, name = top, b"d" * 250
    fitting = (4095 - len(bytes(tmp_path / "tree"))) // len(b"/" + name)
    for _ in range(30):
        os.mkdir(name, dir_fd=fd)
        deeper = os.open(name, os.O_RDONLY, dir_fd=fd)
        if fd != top:
            os.close(fd)
        fd = deeper
    os.close(fd)

    job = back_up(client)

    warnings = [message for level, message in job.run.lines if level != "info"]
    assert job.status == "warnings"
    assert job.files == 1
    assert (
        sum("its path has more than 4095 bytes" in warning for warning in warnings) == 30 - fitting
    )


def test_two_files_of_exabytes_of_zeros_are_kept(db):
    memory = Path("/dev/shm") / f"backup-test-{os.getpid()}"  # noqa: S108 - a file system with them
    memory.mkdir()
    try:
        with local_roots(memory):
            client = local_client(memory)
            for name in ("a", "b"):
                (memory / "tree" / name).touch()
                os.truncate(memory / "tree" / name, 2**63 - 4096)
            job = back_up(client)
            restored = restore(job, memory / "tree", to=memory / "new")
        sizes = [path.stat().st_size for path in (memory / f"new{memory}/tree").iterdir()]
    finally:
        shutil.rmtree(memory)

    assert (job.files, job.bytes) == (2, 2**63 - 1)
    assert (restored.outcome.warnings, sizes) == (0, [2**63 - 4096] * 2)
