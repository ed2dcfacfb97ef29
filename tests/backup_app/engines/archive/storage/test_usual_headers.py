import io
import os
import subprocess

import pytest

from backup_app.engines.archive.backup.tar_source import TAR
from backup_app.engines.archive.storage.tar_reader import TarStream
from backup_app.engines.archive.storage.usual_headers import UsualHeaders, times_in

CONDITIONS = [
    None,
    lambda identity: identity.size % 2 == 0,
    lambda identity: identity.kind == "d",
]


@pytest.fixture(scope="module")
def tar(tmp_path_factory):
    """A tar as backups read it: usual members, and all kinds of others between them."""
    folder = tmp_path_factory.mktemp("tree")
    for number in range(30):
        below = folder / f"folder {number % 3}"
        below.mkdir(exist_ok=True, mode=0o700 + number % 3)
        (below / f"file {number}").write_bytes(b"x" * (number * 77))
        os.utime(below / f"file {number}", ns=(0, (number - 1) * 1_000_000_007))
    (folder / ("long name" * 20)).write_text("text")
    (folder / "link").symlink_to("folder 0")
    os.link(folder / "folder 0" / "file 3", folder / "other name")
    paths = sorted(path.relative_to(folder) for path in folder.rglob("*"))
    return subprocess.run([*TAR, "-C", folder, *paths], capture_output=True, check=True).stdout


def read(tar, step, admit):
    """Return the members of a tar that comes in steps, and the blocks that were handed on."""
    source, sink = io.BytesIO(tar), io.BytesIO()
    members = list(TarStream(lambda: source.read(step), sink.write, admit=admit))
    return members, sink.getvalue()


@pytest.mark.parametrize("admit", CONDITIONS)
def test_members_are_the_same_however_they_are_read(tar, admit):
    """In steps of a block no header is of the usual form, else most of them are."""
    one_by_one = read(tar, 512, admit)

    assert read(tar, 1_000_000, admit) == read(tar, 5000, admit) == one_by_one


def test_most_headers_are_of_the_usual_form(tar):
    found = UsualHeaders().read(tar, 0)

    assert found is not None
    assert (found[0], found[1]) == (b"/folder 0", "d")


def times(mtime, ctime):
    return b"".join(
        b"%d %s=%s\n" % (len(t) + 10, n, t) for n, t in ((b"mtime", mtime), (b"ctime", ctime))
    )


def test_both_times_are_read():
    records = times(b"1.5", b"2")

    assert times_in(records.ljust(512, b"\0"), len(records)) == (1_500_000_000, 2_000_000_000)


@pytest.mark.parametrize("change", [-1, 1, 1000, -1000])
def test_records_of_another_length_are_not_usual(change):
    records = times(b"1.5", b"2")

    assert times_in(records.ljust(512, b"\0"), len(records) + change) is None


@pytest.mark.parametrize("records", [b"14 mtime=1.5\n12 ctime=2\n", b"13 mtime=1.5\n13 ctime=2\n"])
def test_records_with_a_wrong_length_in_them_are_not_usual(records):
    assert times_in(records, len(records)) is None
