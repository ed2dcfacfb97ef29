"""``tarstream.py`` reads what ``tarfile`` reads, and says where it is."""

import hashlib
import io
import subprocess
import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backup_app.engines.archive.storage.tar_headers import nanoseconds
from backup_app.engines.archive.storage.tar_reader import SMALL, CutOff, TarStream
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


@pytest.mark.parametrize("size", [SMALL, SMALL + 1, 3 * SMALL])
def test_content_that_arrives_in_parts_is_read(size):
    content = bytes(range(251)) * (size // 251 + 1)
    described = {"name": "a", "type": tarfile.REGTYPE, "content": content[:size], "linkname": ""}

    [member], raw = parse(make_tar([described]), 10_000)

    assert member.sha256 == hashlib.sha256(content[:size]).digest()
    assert len(raw) == member.length


def test_the_blocks_of_one_member_are_a_tar_of_it():
    content = b"x" * 1000
    data = make_tar(
        {"name": f"{i}" * 150, "type": tarfile.REGTYPE, "content": content, "linkname": ""}
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
    with pytest.raises(EngineError, match="This is not a tar: byte 0"):
        parse(b"<html>" * 1000)


@pytest.mark.parametrize(
    ("text", "expected"),
    [(b"0", 0), (b"1.5", 1_500_000_000), (b"-1.5", -1_500_000_000), (b"-0.000000001", -1)],
)
def test_seconds_with_fractions(text, expected):
    assert nanoseconds(text) == expected


# --- What a hostile machine may send instead of what its tar would ----------------------------

CALM = (b"/calm", "f")


def header(
    name, size=0, kind=b"0", *, size_field=None, magic=b"ustar\x0000", prefix=b"", owner=b"root"
):
    """Return a header with a right checksum, be it as it may otherwise."""
    fields = [
        name.ljust(100, b"\0"),
        *(b"0000644\0", b"0000000\0", b"0000000\0"),
        size_field or b"%011o\0" % size,
        *(b"00000000000\0", b" " * 8, kind, bytes(100), magic),
        *(owner.ljust(32, b"\0"), b"root".ljust(32, b"\0"), b"0000000\0" * 2),
        prefix.ljust(167, b"\0"),
    ]
    block = b"".join(fields)
    return block[:148] + b"%06o\0 " % sum(block) + block[156:]


def padded(content):
    return content + bytes(-len(content) % 512)


def pax(*records, kind=b"x"):
    data = b"".join(records)
    return header(b"PaxHeaders/x", len(data), kind) + padded(data)


def record(key, value):
    length = next(n for n in range(200) if n == len(b"%d %b=%b\n" % (n, key, value)))
    return b"%d %b=%b\n" % (length, key, value)


END = bytes(1024)
HIDDEN = header(b"etc/cron.d/evil", 5) + padded(b"owned")
SPARSE = [(b"GNU.sparse.major", b"1"), (b"GNU.sparse.minor", b"0"), (b"GNU.sparse.name", b"calm")]


def sparse(stored, size, extents, minor=b"0"):
    head = [record(*each) for each in (*SPARSE[:1], (SPARSE[1][0], minor), SPARSE[2])]
    head.append(record(b"GNU.sparse.realsize", b"%d" % size))
    return pax(*head) + header(b"GNUSparseFile/calm", stored) + padded(extents)


HOSTILE = {
    # These were read for ever, at the same place.
    "a pax header of a negative size": header(b"x", kind=b"x", size_field=b"-0000001000\0"),
    "the same in base 256": header(b"x", kind=b"x", size_field=b"\xff" * 10 + b"\xfe\0"),
    "a record without a length": pax(b"0 a=b\n"),
    "a record that leads back": pax(b"-6 a=b\n"),
    # And these are other members to GNU tar than they were to us.
    "a name for all that follow": pax(record(b"path", b"etc/evil"), kind=b"g"),
    "two pax headers": pax(record(b"path", b"etc/evil")) + pax(record(b"path", b"calm")),
    "a name that is said twice": pax(record(b"path", b"etc/evil"), record(b"path", b"calm")),
    "an old magic with a prefix": header(b"calm", magic=b"ustar  \0", prefix=b"etc"),
    "a size with a sign": header(b"calm", size_field=b"+0000000005\0") + padded(b"calm!"),
    "a size as Python writes it": header(b"calm", size_field=b"0o000000005\0") + padded(b"calm!"),
    "a size with underscores": header(b"calm", size_field=b"0_000000005\0") + padded(b"calm!"),
    "a folder with content": header(b"calm", 1024, b"5") + HIDDEN,
    "a link with content": header(b"calm", 1024, b"2") + HIDDEN,
    "a file that is a folder": header(b"calm/", kind=b"0"),
    "a file of an old type": header(b"calm", kind=b"\0"),
    "a name of nothing": pax(record(b"path", b"")) + header(b"calm"),
    "a name with a NUL": pax(record(b"path", b"calm\0x")) + header(b"calm"),
    "an unknown record": pax(record(b"GNU.sparse.map", b"0,5")) + header(b"calm"),
    "a record without an end": pax(b"8 a=bcd") + header(b"calm"),
    "half of a sparse file": pax(record(*SPARSE[2])) + header(b"calm"),
    "another version of it": sparse(512, 5, b"0\n", minor=b"1"),
    "extents that overlap": sparse(522, 100, padded(b"2\n5\n5\n0\n5\n") + b"1234567890"),
    "extents beyond the end": sparse(517, 5, padded(b"1\n99\n5\n") + b"12345"),
    "more extents than there are": sparse(512, 5, b"9\n1\n"),
    "very many extents": sparse(2**32, 5, b"99999999999\n"),
    "an extent that no memory has": sparse(512, 5, b"1\n%d\n5\n" % 2**64),
    "a number without an end": sparse(2**32, 5, b"1" * 5000),
    "a size that no database has": sparse(512, 2**63, b"0\n"),
    "the same of a plain file": pax(record(b"size", b"9" * 19)) + header(b"calm"),
    "a time that is no number": pax(record(b"mtime", b"noon")) + header(b"calm"),
    "very many pax headers": pax(*(b"18 SCHILY.%06d=\n" % n for n in range(100_001)))
    + header(b"calm"),
    "a link to nowhere": header(b"calm", kind=b"2"),
    "a pax header before the end": pax(record(b"path", b"calm")),
}


@pytest.mark.parametrize("hostile", HOSTILE.values(), ids=HOSTILE)
def test_what_two_programs_could_read_differently_is_refused(hostile):
    with pytest.raises(EngineError):
        parse(hostile + END)


def test_a_size_of_twelve_digits_hides_nothing():
    outer = header(b"calm", size_field=b"000000002000") + padded(HIDDEN)

    [member], _ = parse(outer + END)

    assert (*member[:2], member.size) == (*CALM, 1024)


def test_the_prefix_of_a_name_is_part_of_it():
    [member], _ = parse(header(b"calm", prefix=b"etc") + END)

    assert member.path == b"/etc/calm"


def test_a_file_of_exabytes_of_zeros_is_read_at_once():
    data = sparse(512 + 4, 2**62, padded(b"2\n0\n4\n%d\n0\n" % 2**62) + b"data") + END

    [member], raw = parse(data)

    assert (*member[:2], member.size, member.sha256) == (*CALM, 2**62, None)
    assert raw == data[:-1024].ljust(len(raw), b"\0")


def test_owners_are_not_remembered_without_end():
    names = [header(b"calm", owner=b"name-%d" % n) for n in range(10_500)]
    source = io.BytesIO(b"".join(names) + END)
    stream = TarStream(lambda: source.read(100_000), lambda block: None)

    assert len({member.owner for member in stream}) == 10_500
    assert len(stream._owners) == 10_000


def test_the_end_of_a_user_s_name_is_where_tar_sees_it():
    [member], _ = parse(pax(record(b"uname", b"jim\0my")) + header(b"calm") + END)

    assert member.owner == "jim"


@pytest.mark.parametrize("text", [b"99999999999", b"253402300799.5"])
def test_times_that_no_nanoseconds_reach_are_the_last_that_they_do(text):
    assert nanoseconds(text) == 2**63 - 1
    assert nanoseconds(b"-" + text) == 1 - 2**63
