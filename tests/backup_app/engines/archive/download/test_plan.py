"""Plans of downloads: which part of a tar comes from where."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backup_app.engines.archive.download.plan import BLOCK, RECORD, Plan
from backup_app.exceptions import EngineError


def planned(*segments):
    plan = Plan()
    for segment in segments:
        plan.add(*segment)
    return plan


def test_an_empty_plan_is_a_record_of_zeros():
    assert (Plan().size, list(Plan().parts(0, 100))) == (RECORD, [])


@pytest.mark.parametrize(
    ("length", "size"),
    [
        (BLOCK, RECORD),
        (RECORD - 2 * BLOCK, RECORD),
        (RECORD - BLOCK, 2 * RECORD),
        (RECORD, 2 * RECORD),
    ],
)
def test_the_size_is_that_of_whole_records(length, size):
    assert planned((7, 0, length)).size == size


def test_what_lies_side_by_side_is_one_segment():
    plan = planned((7, 512, 512), (7, 1024, 1024), (8, 2048, 512), (7, 2048, 512), (7, 3072, 512))

    assert len(plan) == 4
    assert list(plan.parts(0, 10_000)) == [
        (7, 512, 1536),
        (8, 2048, 512),
        (7, 2048, 512),
        (7, 3072, 512),
    ]


def test_a_range_takes_parts_of_segments():
    plan = planned((7, 1024, 1024), (8, 0, 512))

    assert list(plan.parts(1000, 48)) == [(7, 2024, 24), (8, 0, 24)]
    assert list(plan.parts(1024, 512)) == [(8, 0, 512)]
    assert list(plan.parts(1535, 9999)) == [(8, 511, 1)]
    assert list(plan.parts(1536, 9999)) == []
    assert list(plan.parts(5, 0)) == []


def test_nothing_is_no_segment():
    assert len(planned((7, 0, 0), (7, 512, 512), (8, 0, 0))) == 1


segments = st.lists(
    st.tuples(st.integers(1, 2**40), st.integers(0, 2**50), st.integers(0, 2**45)), max_size=30
)


@given(segments)
def test_a_packed_plan_is_the_same(found):
    plan = planned(*found)
    copy = Plan.unpack(plan.pack())

    assert (copy.size, len(copy)) == (plan.size, len(plan))
    assert list(copy.parts(0, plan.size)) == list(plan.parts(0, plan.size))


@given(segments, st.data())
def test_a_range_is_that_part_of_the_whole(found, data):
    plan = planned(*[(source, offset, length % 50) for source, offset, length in found])
    start = data.draw(st.integers(0, plan.size))
    length = data.draw(st.integers(0, plan.size))

    def places(parts):
        return [(source, offset + n) for source, offset, size in parts for n in range(size)]

    assert (
        places(plan.parts(start, length))
        == places(plan.parts(0, plan.size))[start : start + length]
    )


@pytest.mark.parametrize("packed", [b"", b"x", Plan().pack()[:-3]])
def test_an_invalid_plan_is_refused(packed):
    with pytest.raises(EngineError) as refused:
        Plan.unpack(packed)

    assert str(refused.value) == "The plan of the download is damaged."


def test_a_plan_of_another_version_is_refused(monkeypatch):
    packed = planned((7, 0, 512)).pack()
    monkeypatch.setattr("backup_app.engines.archive.download.plan.VERSION", 2)

    with pytest.raises(EngineError) as refused:
        Plan.unpack(packed)

    assert str(refused.value) == "The plan of the download is of another version."
