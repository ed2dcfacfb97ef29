"""``volumes.py``: any range reads back, and what is damaged is said."""

import hashlib
import io
import random
import subprocess
import tarfile
import threading
from array import array

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from backup_app.engines.archive.storage import volume as volumes
from backup_app.engines.archive.storage.volume import (
    END_OF_TAR,
    VolumeReader,
    VolumeWriter,
    seek_table,
)
from backup_app.exceptions import Canceled, EngineError
from tests.prerequisites import need_zstd

FRAME = 64 * 1024
CONTENT = random.Random(3).randbytes(300_000) + bytes(100_000)  # noqa: S311


def store(path, blocks, **options):
    """Write blocks to a new volume and return its SHA-256."""
    with VolumeWriter(path, frame_bytes=FRAME, level=3, **options) as writer:
        for block in blocks:
            writer.write(block)
        return writer.finish()


@pytest.fixture(scope="module")
def volume(tmp_path_factory):
    path = tmp_path_factory.mktemp("volumes") / "v.tar.zst"
    store(path, [CONTENT[i : i + 7_001] for i in range(0, len(CONTENT), 7_001)])
    return path


@given(st.integers(0, len(CONTENT)), st.integers(0, 200_000))
def test_any_range_equals_the_stream(volume, offset, length):
    length = min(length, len(CONTENT) - offset)

    with VolumeReader(volume) as reader:
        got = b"".join(reader.read(offset, length))

    assert got == CONTENT[offset : offset + length]


def test_two_reads_at_once_do_not_disturb_each_other(volume):
    with VolumeReader(volume) as reader:
        pairs = list(zip(reader.read(0, 200_000), reader.read(100_000, 200_000), strict=False))

    one, other = (b"".join(blocks) for blocks in zip(*pairs, strict=True))
    assert CONTENT.startswith(one)
    assert CONTENT[100_000:].startswith(other)


def test_a_read_that_is_given_up_leaves_no_thread(volume):
    before = set(threading.enumerate())

    with VolumeReader(volume) as reader:
        blocks = reader.read(0, len(CONTENT))
        next(blocks)
        blocks.close()

    assert set(threading.enumerate()) <= before


def test_a_cancel_waits_for_no_frame(tmp_path, monkeypatch):
    monkeypatch.setattr(volumes, "SECOND", 0.001)
    options = {"frame_bytes": 8_000_000, "level": 19, "tick": cancel}

    with VolumeWriter(tmp_path / "v", **options) as writer:
        writer.write(random.Random(4).randbytes(8_000_000))  # noqa: S311
        with pytest.raises(Canceled):
            writer.finish()

    assert (tmp_path / "v").stat().st_size == 0


def cancel():
    raise Canceled


def test_zstd_reads_the_whole_with_the_end_of_the_tar(volume):
    need_zstd()

    result = subprocess.run(["zstd", "-dc", volume], capture_output=True, check=True)

    assert result.stdout == CONTENT + END_OF_TAR


def test_tar_opens_a_volume(tmp_path):
    need_zstd()
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w") as tar:
        tar.addfile(tarfile.TarInfo("a/b"), io.BytesIO())
    store(tmp_path / "v", [plain.getvalue()[:512]])

    listed = subprocess.run(
        ["tar", "--zstd", "-tf", tmp_path / "v"], capture_output=True, check=True
    )

    assert (listed.stdout, listed.stderr) == (b"a/b\n", b"")


@pytest.mark.parametrize("size", [0, 1, FRAME - 1024, FRAME, FRAME + 1, 5 * FRAME])
@pytest.mark.parametrize("threads", [1, 4])
def test_frames_of_every_fill_are_read(tmp_path, size, threads):
    store(tmp_path / "v", [CONTENT[:size]], threads=threads)

    with VolumeReader(tmp_path / "v") as reader:
        assert reader.size == size + 1024
        assert b"".join(reader.read(0, reader.size)) == CONTENT[:size] + END_OF_TAR


def test_the_digest_is_that_of_the_file(tmp_path):
    digest = store(tmp_path / "v", [CONTENT])

    assert digest == hashlib.sha256((tmp_path / "v").read_bytes()).digest()


def test_an_existing_file_is_not_written_over(tmp_path):
    (tmp_path / "v").write_text("mine")

    with pytest.raises(FileExistsError):
        store(tmp_path / "v", [])


def test_a_changed_byte_is_found(tmp_path, volume):
    data = bytearray(volume.read_bytes())
    data[100_000] ^= 1
    (tmp_path / "v").write_bytes(data)

    with VolumeReader(tmp_path / "v") as reader, pytest.raises(EngineError, match="is damaged at"):
        list(reader.read(0, len(CONTENT)))


@pytest.mark.parametrize("kept", [0, 5, 9, 200_000, -1])
def test_a_cut_off_volume_is_found(tmp_path, volume, kept):
    (tmp_path / "v").write_bytes(volume.read_bytes()[:kept])

    with pytest.raises(EngineError, match="is damaged"):
        VolumeReader(tmp_path / "v")


@pytest.mark.parametrize(
    ("stored", "plain", "words"),
    [(1, 0, r"its table of frames is wrong\.$"), (0, -1, r"has 9 bytes, not 8\.$")],
)
def test_sizes_that_do_not_fit_are_found(tmp_path, stored, plain, words):
    frame = zstandard.compress(b"some text")
    sizes = array("I", [len(frame) + stored, len(b"some text") + plain])
    (tmp_path / "v").write_bytes(frame + seek_table(sizes))

    with pytest.raises(EngineError, match=words), VolumeReader(tmp_path / "v") as reader:
        list(reader.read(0, 1))


def test_a_missing_volume_is_reported(tmp_path):
    with pytest.raises(EngineError, match=r"cannot be read: No such file or directory\.$"):
        VolumeReader(tmp_path / "v")


def test_more_than_there_is_cannot_be_read(volume):
    with VolumeReader(volume) as reader, pytest.raises(EngineError, match="bytes of tar, not"):
        list(reader.read(len(CONTENT), 2000))
