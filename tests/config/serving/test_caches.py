import pytest

from config.serving.caches import BoundedMemoryCache


@pytest.fixture
def cache(request):
    params = {"OPTIONS": {"MAX_ENTRIES": 1000, "MAX_BYTES": 10_000}}
    return BoundedMemoryCache(request.node.name, params)


def held(cache):
    return sum(map(len, cache._cache.values()))


def test_values_take_no_more_memory_than_is_allowed(cache):
    for number in range(500):
        cache.set(number, "x" * (number * 10))

    assert 5_000 < held(cache) <= 10_000
    assert cache.get(499)
    assert cache.get(400) is None


def test_what_was_used_last_stays(cache):
    for name in "abc":
        cache.set(name, "x" * 3_000)
    assert cache.get("a")

    cache.set("d", "x" * 3_000)

    assert [name for name in "abcd" if cache.get(name)] == ["a", "c", "d"]


def test_a_value_that_is_too_large_is_not_kept(cache):
    cache.set("large", "x" * 10_001)
    assert cache.add("another", "x" * 10_001)

    assert cache.get("large") is None
    assert cache.get("another") is None
    assert held(cache) == 0


def test_it_forgets_when_what_it_held_expires_too(cache):
    cache.set("a", "x" * 9_000, timeout=0)
    cache.set("b", "x" * 9_000)

    assert cache.get("b")
    assert set(cache._cache) == set(cache._expire_info) == {cache.make_key("b")}


def test_it_counts_what_it_holds(cache):
    cache.set("a", "x" * 100)
    cache.set("a", "x" * 5_000)
    cache.set_many({"b": "x" * 1_000, "c": "x" * 1_000})
    cache.delete("b")
    assert cache._cache.size == held(cache)

    cache._cull()
    assert cache._cache.size == held(cache) > 0

    cache.clear()
    assert cache._cache.size == held(cache) == 0
