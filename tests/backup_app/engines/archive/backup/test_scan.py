"""``scan.py``: what find is told, and how it is understood."""

import os
import subprocess
from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backup_app.engines.archive.backup.find_output import nanoseconds, signed
from backup_app.engines.archive.backup.scan import (
    Scan,
    ancestors,
    complained_of,
    include_path,
    remainders,
)
from backup_app.engines.archive.backup.workspace import Workspace
from backup_app.engines.archive.transport.machines import LocalMachine
from backup_app.engines.values import no_tick
from backup_app.exceptions import EngineError

names = st.binary(min_size=1, max_size=60).map(lambda name: name.replace(b"\0", b"0"))


@given(names.map(lambda name: b"/nowhere/" + name))
def test_find_complains_of_the_path_that_is_missing(path):
    done = subprocess.run(
        [b"find", path], capture_output=True, check=False, env=os.environ | {"LC_ALL": "C.UTF-8"}
    )

    [line] = done.stderr.decode(errors="backslashreplace").splitlines()

    assert complained_of(line) == path


@pytest.mark.parametrize("line", ["find: out of memory", "Warning: something", ""])
def test_other_complaints_name_no_path(line):
    assert complained_of(line) is None


@pytest.mark.parametrize("ns", [0, 1, 10**9, 1_700_000_000_123_456_789, -1, -1_500_000_000])
def test_times_are_as_they_are(tmp_path, ns):
    os.utime(tmp_path, ns=(ns, ns))

    printed = subprocess.run(
        ["find", tmp_path, "-maxdepth", "0", "-printf", "%T@"], capture_output=True, check=True
    )

    assert nanoseconds([printed.stdout.decode()]) == [ns]


@pytest.mark.parametrize(
    ("number", "expected"), [(5, 5), (2**63 - 1, 2**63 - 1), (2**63, -(2**63)), (2**64 - 1, -1)]
)
def test_inodes_fit_in_a_signed_number(number, expected):
    assert signed(number) == expected


def test_ancestors_come_parents_first():
    assert ancestors([b"/a/b/c", b"/a/d", b"/"]) == [b"/", b"/a", b"/a/b"]


@pytest.mark.parametrize(
    ("path", "expected"),
    [("/a", b"/a"), ("/a/", b"/a"), ("//a//b/./c", b"/a/b/c"), ("/", b"/"), ("//", b"/")],
)
def test_a_path_becomes_plain(path, expected):
    assert include_path(path) == expected


@pytest.mark.parametrize("path", ["a", "", "/a/../b", "/a\0", "../a"])
def test_a_path_that_is_not_absolute_is_refused(path):
    with pytest.raises(EngineError, match="is not an absolute path"):
        include_path(path)


paths = st.lists(st.sampled_from(["a", "b", "ab"]), min_size=1, max_size=3).map(
    lambda names: "/" + "/".join(names)
)


@given(st.text("/*ab", min_size=1, max_size=8), st.just("") | paths, paths)
def test_a_pattern_means_the_same_in_every_folder(pattern, base, rest):
    found = [fnmatchcase("." + rest, each) for each in remainders(pattern, base.encode())]

    assert any(found) == fnmatchcase(base + rest, pattern)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [("/srv/a\\*/x", ["./x"]), ("/srv/b\\*/x", []), ("/srv/[ab]\\*/x*", ["./x*"])],
)
def test_what_is_escaped_in_a_pattern_is_plain(pattern, expected):
    assert list(remainders(pattern, b"/srv/a*")) == expected


def test_nothing_behind_a_symlink_is_listed(tmp_path):
    (tmp_path / "real/sub").mkdir(parents=True)
    (tmp_path / "real/sub/file").touch()
    (tmp_path / "link").symlink_to("real")
    with Workspace(tmp_path / "w") as workspace:
        scan = Scan(LocalMachine(), workspace, complain=print, warn=print, tick=no_tick)

        with pytest.raises(EngineError, match=f"leads through '{tmp_path}/link', which is not"):
            scan.run([bytes(tmp_path / "link/sub/file")])
        scan.run([bytes(tmp_path / "link/sub/file"), bytes(tmp_path / "real")])

        assert [name for name in workspace.names() if b"/link" in name] == []


def test_the_whole_machine_can_be_listed(tmp_path):
    (tmp_path / "in").touch()
    # All but the way to one folder, or it would take long.
    beside = [
        bytes(other)
        for folder in (tmp_path, *tmp_path.parents[:-1])
        for other in folder.parent.iterdir()
        if other != folder
    ]
    with Workspace(tmp_path / "w") as workspace:
        scan = Scan(LocalMachine(), workspace, complain=print, warn=print, tick=no_tick)
        scan.run([b"/"], left_out=beside, one_filesystem=True)

        found = list(workspace.names())

    assert found[0] == b"/"
    assert bytes(tmp_path / "in") in found
    assert b"/usr" not in found
    assert len(found) == len(set(found))
