"""``tarstream.py`` reads what ``tarfile`` reads, and says where it is."""

import hashlib
import io
import subprocess
import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backup_app.engines.archive.tarstream import CutOff, TarStream, nanoseconds
from backup_app.exceptions import EngineError

KINDS = {
    tarfile.REGTYPE: "f",
    tarfile.DIRTYPE: "d",
    tarfile.LNKTYPE: "h",
    tarfile.SYMTYPE: "l",
    tarfile.CHRTYPE: "b",
    tarfile.BLKTYPE: "b",
    tarfile.FIFOTYPE: "p",
}
names = st.binary(min_size=1, max_size=300).map(
    lambda name: (name.replace(b"\0", b"n").strip(b"/.") or b"x").decode(errors="surrogateescape")
)
members = st.builds(
    dict,
    name=names,
    type=st.sampled_from(list(KINDS)),
    content=st.binary(max_size=3000),
    mode=st.integers(0, 0o7777),
    mtime=st.one_of(st.integers(0, 2**33), st.integers(-(2**33), -1)),
    uid=st.integers(0, 2**31),
    uname=st.sampled_from(["", "root", "jürgen"]),
    linkname=names,
)


def make_tar(described) -> bytes:
    file = io.BytesIO()
    options = {"format": tarfile.PAX_FORMAT, "errors": "surrogateescape"}
    with tarfile.open(fileobj=file, mode="w", **options) as tar:
        for values in described:
            info = tarfile.TarInfo()
            content = values["content"]
            for name, value in values.items():
                if name != "content":
                    setattr(info, name, value)
            info.linkname = values["linkname"] if info.islnk() or info.issym() else ""
            info.size = len(content) if info.isreg() else 0
            tar.addfile(info, io.BytesIO(content))
    return file.getvalue()


def parse(data, step=100_000):
    """Return the members of a tar that comes in steps, and the blocks that were handed on."""
    source, sink = io.BytesIO(data), io.BytesIO()
    stream = TarStream(lambda: source.read(step), sink.write)
    return list(stream), sink.getvalue()


def as_tarfile_reads(data):
    with tarfile.open(fileobj=io.BytesIO(data), encoding="utf-8", errors="surrogateescape") as tar:
        for info in tar:
            yield (
                b"/" + info.name.encode(errors="surrogateescape"),
                KINDS[info.type],
                info.size if info.isreg() else 0,
                info.mode,
                info.uname or str(info.uid),
                int(info.mtime) * 10**9,
                hashlib.sha256(tar.extractfile(info).read()).digest() if info.isreg() else None,
                info.offset,
            )


@given(st.lists(members, max_size=4), st.sampled_from([1, 7, 512, 1000, 100_000]))
def test_it_reads_what_tarfile_reads(described, step):
    data = make_tar(described)

    got, raw = parse(data, step)

    fields = [(m.path, m.kind, m.size, m.mode, m.owner, m.mtime_ns, m.sha256) for m in got]
    expected = list(as_tarfile_reads(data))
    assert fields == [row[:-1] for row in expected]
    assert [m.offset + m.length for m in got] == [m.offset for m in got[1:]] + (
        [len(raw)] if got else []
    )
    assert data.startswith(raw)
    assert not data[len(raw) :].strip(b"\0")


def test_the_blocks_of_one_member_are_a_tar_of_it():
    content = b"x" * 1000
    data = make_tar(
        {
            "name": f"{i}" * 150,
            "type": tarfile.REGTYPE,
            "content": content,
            "linkname": "",
        }
        for i in range(3)
    )

    middle = parse(data)[0][1]
    alone, _ = parse(data[middle.offset : middle.offset + middle.length] + bytes(1024))

    assert [(m.path, m.sha256) for m in alone] == [(b"/" + b"1" * 150, middle.sha256)]


@pytest.mark.parametrize("extents", [0, 1, 3, 100])
def test_sparse_files_have_their_logical_content(tmp_path, extents):
    path = tmp_path / "s"
    with path.open("wb") as file:
        for i in range(extents):
            file.seek(i * 65536 + 4096)
            file.write(b"%d" % i * 3000)
        file.truncate(extents * 65536 + 5_000_000)
    tar = ["tar", "-c", "--format=posix", "--sparse", "-C", tmp_path, "s"]
    data = subprocess.run(tar, capture_output=True, check=True).stdout

    [member], _ = parse(data)

    assert len(data) < path.stat().st_size
    assert (member.path, member.size) == (b"/s", path.stat().st_size)
    assert member.sha256 == hashlib.sha256(path.read_bytes()).digest()


@pytest.mark.parametrize("kept", [0, 100, 512, 1024, 1500, 2048])
def test_a_cut_off_tar_is_found(kept):
    data = make_tar([{"name": "a", "type": tarfile.REGTYPE, "content": b"x" * 900, "linkname": ""}])

    with pytest.raises(CutOff):
        parse(data[: min(kept, 1536)])


def test_what_is_no_tar_is_said():
    with pytest.raises(EngineError, match="What came is no tar: at byte 0"):
        parse(b"<html>" * 1000)


@pytest.mark.parametrize(
    ("text", "expected"),
    [(b"0", 0), (b"1.5", 1_500_000_000), (b"-1.5", -1_500_000_000), (b"-0.000000001", -1)],
)
def test_seconds_with_fractions(text, expected):
    assert nanoseconds(text) == expected
