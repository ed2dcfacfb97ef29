import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backup_app.engines.archive.storage.hashing import BackgroundHash


@given(st.lists(st.binary(max_size=5000), max_size=20))
def test_the_digest_is_that_of_all_pieces_in_order(pieces):
    with BackgroundHash() as whole:
        for piece in pieces:
            whole.update(memoryview(piece))

        assert whole.digest() == hashlib.sha256(b"".join(pieces)).digest()


def test_an_exception_ends_the_thread():
    with pytest.raises(KeyError), BackgroundHash() as whole:
        whole.update(bytes(1_000_000))
        raise KeyError

    assert not any(thread.is_alive() for thread in whole._pool._threads)
