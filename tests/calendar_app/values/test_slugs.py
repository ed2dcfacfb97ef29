import datetime as dt

import pytest

from calendar_app.models import Venue
from calendar_app.values.slugs import MAX_LENGTH, unique_slug, unique_slugs

pytestmark = pytest.mark.django_db


def new_slug(text):
    return unique_slug(Venue(), text, Venue.objects.all())


def store(*slugs):
    then = dt.datetime(2030, 1, 1)
    dates = {"date": then, "modified": then}
    dates |= {f"{name}_utc": value.replace(tzinfo=dt.UTC) for name, value in dates.items()}
    Venue.objects.bulk_create([Venue(name=slug, slug=slug, **dates) for slug in slugs])


@pytest.mark.parametrize(
    ("taken", "slug"),
    [
        ([], "fair"),
        (["fair-2"], "fair"),
        (["fair"], "fair-2"),
        (["fair", "fair-1"], "fair-2"),
        (["fair", "fair-9"], "fair-10"),
        (["fair", *(f"fair-{number}" for number in range(2, 11))], "fair-11"),
        (["fair", *(f"fair-{number}" for number in range(2, 100))], "fair-100"),
        (["fair", *(f"fair-{number}" for number in range(2, 1235))], "fair-1235"),
        (["fair", "fairly-7", "fair-2027-03-04", "fair-8-bells", "fair-x"], "fair-2"),
        (["fair", "fair-10000000000000"], "fair-2"),
    ],
)
def test_a_taken_slug_gets_a_number_that_is_free(taken, slug):
    store(*taken)

    assert new_slug("Fair") == slug


def test_the_number_is_within_the_length_of_a_long_slug():
    long = "a" * (MAX_LENGTH - 2) + "bc"
    store(long, *(long[:-2] + f"-{number}" for number in range(2, 10)))

    assert new_slug(long) == "a" * (MAX_LENGTH - 3) + "-10"


def test_letters_outside_ascii_are_numbered_too():
    store("日本", "日本-2")

    assert new_slug("日本") == "日本-3"


def test_a_free_slug_is_found_by_one_query_and_a_number_by_two(django_assert_num_queries):
    with django_assert_num_queries(1):
        new_slug("Fair")
    store("fair", "fair-2")
    with django_assert_num_queries(2) as done:
        new_slug("Fair")

    assert all("LIKE" not in query["sql"] for query in done.captured_queries)


@pytest.mark.parametrize(
    "taken",
    [
        [],
        ["fair"],
        ["fair-2"],
        ["fair", "fair-8", "fair-11", "fair-99"],
        ["fair", "fair-10", "fair-98", "fair-101"],
    ],
)
def test_many_slugs_are_those_that_they_would_be_one_by_one(taken):
    store(*taken)
    bases = ["fair", "fete", *["fair"] * 12, "fete"]

    found = unique_slugs(bases, Venue.objects.all())

    assert len({*found, *taken}) == len(bases) + len(taken)
    for base, slug in zip(bases, found, strict=True):
        assert new_slug(base) == slug
        store(slug)


def test_many_free_slugs_take_one_query_and_equal_ones_hardly_more(django_assert_num_queries):
    with django_assert_num_queries(1):
        unique_slugs([f"fair-of-{n}" for n in range(100)], Venue.objects.all())
    with django_assert_num_queries(4):
        unique_slugs(["fair"] * 100, Venue.objects.all())
