import pytest
from hypothesis import given
from hypothesis import strategies as st

from backup_app.lib import sizes


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("500 GB", 500 * 10**9),
        ("500gb", 500 * 10**9),
        (" 1.5 TB ", 1_500_000_000_000),
        ("2 TiB", 2 * 2**40),
        ("0.5 KiB", 512),
        ("1000", 1000),
        ("7 bytes", 7),
        ("0", 0),
    ],
)
def test_a_size_is_read(text, size):
    assert sizes.parse(text) == size


@pytest.mark.parametrize(
    "text", ["", "GB", "500 XB", "-1", "1,5 GB", "1e9", "1 2", "٣ GB", "10000 PB", "9" * 40]
)
def test_what_is_no_size_is_named(text):
    with pytest.raises(ValueError, match=f"'{text}' is "):
        sizes.parse(text)


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (500 * 10**9, "500 GB"),
        (1_500_000_000_000, "1.5 TB"),
        (2**40, "1 TiB"),
        (1234, "1.234 kB"),
        (1_234_567, "1234567"),
        (0, "0"),
    ],
)
def test_a_size_is_written_in_the_unit_that_fits(size, text):
    assert sizes.exact(size) == text


@given(st.integers(0, sizes.LARGEST))
def test_what_is_written_is_read_as_the_same_number(size):
    assert sizes.parse(sizes.exact(size)) == size
