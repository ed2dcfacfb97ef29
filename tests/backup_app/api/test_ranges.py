import pytest

from backup_app.api.ranges import requested
from backup_app.exceptions import RangeOutside


@pytest.mark.parametrize(
    ("header", "part"),
    [
        ("bytes=0-0", (0, 1)),
        ("bytes=0-99", (0, 100)),
        ("bytes=10-", (10, 100)),
        ("bytes=10-5000", (10, 100)),
        ("bytes=-1", (99, 100)),
        ("bytes=-5000", (0, 100)),
        (" bytes=99-99 ", (99, 100)),
    ],
)
def test_a_range(header, part):
    assert requested(header, 100) == part


@pytest.mark.parametrize(
    "header",
    [
        "",
        "bytes=",
        "bytes=-",
        "bytes=a-b",
        "bytes=5-4",
        "bytes=0-1,3-4",
        "bytes=-1-2",
        "items=0-1",
        "0-1",
        "bytes=" + "9" * 5000 + "-",
        "bytes=\u0661-\u0662",
    ],
)
def test_an_invalid_or_multiple_range_returns_everything(header):
    assert requested(header, 100) is None


@pytest.mark.parametrize("header", ["bytes=100-", "bytes=100-200", "bytes=-0"])
def test_nothing_in_the_range(header):
    with pytest.raises(RangeOutside) as refusal:
        requested(header, 100)

    assert refusal.value.headers == {"Content-Range": "bytes */100"}
    assert str(refusal.value) == "The range lies outside the chunk, which has 100 bytes."
