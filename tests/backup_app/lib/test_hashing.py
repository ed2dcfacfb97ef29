import hashlib

from hypothesis import given
from hypothesis import strategies as st

from backup_app.lib.hashing import BackgroundHash


@given(st.lists(st.binary(max_size=5000), max_size=20))
def test_the_digest_is_that_of_all_pieces_in_order(pieces):
    with BackgroundHash() as whole:
        for piece in pieces:
            whole.update(memoryview(piece))

        assert whole.digest() == hashlib.sha256(b"".join(pieces)).digest()


def test_its_thread_ends_with_the_block():
    with BackgroundHash() as whole:
        whole.update(bytes(1_000_000))

    assert not any(thread.is_alive() for thread in whole._pool._threads)
