import pytest
from hypothesis import given
from hypothesis import strategies as st

from backup_app.exceptions import Forbidden
from backup_app.lib.paths import is_at_or_below, normalized, require_at_or_below, rooted

names = st.binary(min_size=1, max_size=3).filter(lambda n: not {0, 47} & {*n} and n not in DOTS)
DOTS = (b".", b"..")


@pytest.mark.parametrize(
    ("path", "result"),
    [
        (b"/", b"/"),
        (b"", b"/"),
        (b"//", b"/"),
        (b"/etc/", b"/etc"),
        (b"//etc/./x//", b"/etc/x"),
        (b"/etc/../x", b"/etc/../x"),
        (b"/etc/..x/...", b"/etc/..x/..."),
        (b"/\xff\n /x", b"/\xff\n /x"),
    ],
)
def test_normalized(path, result):
    assert normalized(path) == result


@pytest.mark.parametrize(
    ("path", "result"),
    [
        (b"/etc", b"/etc"),
        (b"/C:\\x", b"/C:\\x"),
        (b"C:\\Users\\Ann", b"/C:/Users/Ann"),
        (b"c:/", b"/c:/"),
        (b"D:", b"/D:"),
        (b"", None),
        (b"etc", None),
        (b"C:Users", None),
        (b"CD:/x", None),
        (b"\\x", None),
    ],
)
def test_rooted(path, result):
    assert rooted(path) == result


@pytest.mark.parametrize(
    ("path", "top"),
    [
        (b"/home/al", b"/home/al"),
        (b"/home/al/", b"/home/al"),
        (b"/home/al", b"/home/al/"),
        (b"/home/al/docs", b"//home/./al"),
        (b"/home", b"/"),
        (b"/", b"/"),
        (b"/home/al/..x", b"/home/al"),
    ],
)
def test_at_or_below(path, top):
    assert is_at_or_below(path, top)


@pytest.mark.parametrize(
    ("path", "top"),
    [
        (b"/home/alice", b"/home/al"),
        (b"/home/al", b"/home/alice"),
        (b"/home", b"/home/al"),
        (b"/", b"/home"),
        (b"/home/al/../alice", b"/home/al"),
        (b"/home/al/../al", b"/home/al"),
        (b"/home/al", b"/home/../home/al"),
        (b"/..", b"/"),
        (b"/home/AL", b"/home/al"),
    ],
)
def test_not_at_or_below(path, top):
    assert not is_at_or_below(path, top)


@given(st.lists(names), st.lists(names))
def test_what_is_put_below_lies_below_and_not_above(top, more):
    above = b"/" + b"/".join(top)
    path = b"/" + b"/".join([*top, *more])

    assert is_at_or_below(path, above)
    assert is_at_or_below(above, path) == (not more)


def test_a_path_outside_is_refused_by_name():
    with pytest.raises(Forbidden, match=r"^'/home/alice' is not in '/home/al'\.$"):
        require_at_or_below(b"/home/alice", b"/home/al")
