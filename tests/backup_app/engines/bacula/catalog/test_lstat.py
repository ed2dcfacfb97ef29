"""What file daemons write of a file."""

import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backup_app.engines.bacula.catalog.lstat import UNKNOWN, Status, decoded, number, sha256

from ..support import forged_jobs

# Of a plain file and of a symbolic link, by a file daemon of 9.6.7.
FILE = b"P4A IwF0 IGk B A A A D BAA I BrAfg7 BrAfg7 BrAfg7 A A C"


def test_an_lstat_of_a_file_daemon_is_understood():
    assert decoded(FILE) == Status("file", 3, 1795291195, 0o644, "0", "0")


@given(st.integers(-(2**63) + 1, 2**63 - 1))
def test_a_number_is_read_as_it_was_written(value):
    assert number(forged_jobs.number(value)) == value


@pytest.mark.parametrize("field", [b"", b"-", b"?", b"A=", b"\xff", b"/" * 12, b"P" + b"/" * 10])
def test_a_number_beyond_64_bits_is_0(field):
    assert number(field) == 0


@given(st.binary(max_size=200))
def test_no_damage_is_too_much(data):
    status = decoded(data)

    assert status.size >= 0
    assert 0 <= status.mode <= 0o7777


@pytest.mark.parametrize("cut", range(len(FILE.split()) - 2))
def test_an_lstat_that_was_cut_short_tells_nothing(cut):
    assert decoded(b" ".join(FILE.split()[:cut])) == UNKNOWN


def test_a_size_is_that_of_what_has_one():
    assert decoded(forged_jobs.lstat(mode=stat.S_IFDIR | 0o1777, size=4096)).size == 0
    assert decoded(forged_jobs.lstat(mode=stat.S_IFREG, size=-1)).size == 0
    assert decoded(forged_jobs.lstat(mode=stat.S_IFREG, size=2**62)).size == 2**62


@pytest.mark.parametrize("signature", [b"", b"0", b"A" * 27, b"A" * 44, b"*" * 43])
def test_another_signature_is_no_sha256(signature):
    assert sha256(signature) is None


def test_a_sha256_is_32_bytes():
    assert sha256(b"A" * 43) == bytes(32)
