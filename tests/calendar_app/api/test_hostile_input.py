"""Input that nobody sends by accident: it is refused, or stored harmlessly, and quickly."""

from functools import partial

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test.utils import CaptureQueriesContext

from calendar_app.api import caching
from calendar_app.models import Category, Event, Venue
from tests.effort import effort
from tests.prerequisites import only_on

from ..support.api_client import P, client_of, get
from ..support.factories import CategoryFactory, EventFactory, UserFactory
from ..support.writing import NEW, change, change_event, create, create_event, refused

pytestmark = pytest.mark.django_db

FIELDS = (
    "title slug description timezone all_day start_date cost website categories tags venue "
    "organizer post_parent custom_fields author date status image"
).split()


def post(body, content_type):
    return client_of(role="Editor").generic("POST", f"{P}/events", body, content_type=content_type)


@pytest.mark.parametrize("field", FIELDS)
def test_a_deeply_nested_value_is_refused(field):
    body = f'{{"{field}": {"[" * 1000}1{"]" * 1000}}}'

    answer = post(body, "application/json")

    assert (answer.status_code, answer.json()["code"]) == (400, "rest_invalid_json")
    assert "50 levels" in answer.json()["message"]


FORM = "application/x-www-form-urlencoded"
PARTS = "multipart/form-data; boundary=x"


def in_parts(keys):
    part = '--x\r\nContent-Disposition: form-data; name="{}"\r\n\r\n1\r\n'
    return "".join(map(part.format, keys)) + "--x--\r\n"


@pytest.fixture(params=["a[{}]", "a{}[500]", "a[]", "a[{0}][{0}][{0}]", "a{}[9][9][9]"])
def pattern(request):
    return request.param


@only_on("sqlite")  # forms are parsed alike on any
@pytest.mark.parametrize("count", [1000, 1001, 19_000, 30_000])
def test_a_form_of_too_many_fields_is_refused(pattern, count):
    for answer in forms(pattern, count):
        assert answer.status_code == 400
        said = answer.json()["message"] == "The form has more than 1000 fields."
        assert said == (count > 1000)


@only_on("sqlite")
def test_the_time_that_a_form_takes_grows_with_its_size(pattern):
    few, many = (effort(partial(forms, pattern, count)) for count in (1_000, 10_000))

    assert many < 30 * few


def forms(pattern, count):
    keys = [pattern.format(number % 500) for number in range(count)]
    return [post("=1&".join(keys) + "=1", FORM), post(in_parts(keys), PARTS)]


@pytest.mark.parametrize(
    ("key", "sentence"),
    [
        ("a[501]", "The key 'a[501]' has an index greater than 500."),
        ("a[1][²][9999]", "The key 'a[1][²][9999]' has an index greater than 500."),
        (
            "a[0][0][0][0][0][0]",
            "The key 'a[0][0][0][0][0][0]…' has more than 5 pairs of brackets.",
        ),
        (f"a[{'9' * 99_999}]", f"The key 'a[{'9' * 48}' has an index greater than 500."),
        ("a" + "[]" * 99_999, f"The key 'a{'[]' * 24}[…' has more than 5 pairs of brackets."),
    ],
)
def test_a_key_of_long_or_deep_lists_is_refused(key, sentence):
    answer = post(f"{key}=1".encode(), FORM)

    assert (answer.status_code, answer.json()["code"]) == (400, "rest_invalid_form")
    assert answer.json()["message"] == sentence


@pytest.mark.parametrize("sign", ["[]", "{}"])
def test_json_of_too_many_lists_and_objects_is_refused(sign):
    body = f'{{"custom_fields": [{",".join([sign] * 100_000)}]}}'

    answer = post(body, "application/json")

    assert (answer.status_code, answer.json()["message"]) == (
        400,
        "The body has more than 100000 lists and objects.",
    )


def test_the_time_that_a_query_takes_grows_with_its_size():
    def ask(count):
        query = "&".join(f"a{number}[{number}]=1" for number in range(count))
        assert get(f"/events?{query}").status_code == 200

    assert effort(lambda: ask(4_000)) < 30 * effort(lambda: ask(400))


@pytest.mark.parametrize("length", ["²", "-1", "x", "1e3"])
def test_an_invalid_content_length_is_refused(length):
    answer = client_of().post(f"{P}/events", NEW, CONTENT_LENGTH=length)

    assert 400 <= answer.status_code < 500


@pytest.mark.parametrize(
    "number", [1e19, -1e19, 1e300, 2**63, 18446744073709551615, -(2**63) - 1, [1e300]]
)
def test_a_number_that_a_database_would_change_is_refused(number):
    refusal = refused(create_event(custom_fields={"a": number}))

    assert "64 bits" in refusal["custom_fields"]


@pytest.mark.parametrize("number", [0.1, 1e-300, 2**63 - 1, 1.5e18, -1])
def test_other_numbers_are_read_back(number):
    assert create_event(custom_fields={"a": number}).json()["custom_fields"] == {"a": number}


def test_a_title_as_long_as_a_slug_gets_one_number_after_the_other():
    slugs = [EventFactory(title="a" * 300).slug for _ in range(12)]

    assert slugs[:3] == ["a" * 200, "a" * 198 + "-2", "a" * 198 + "-3"]
    assert slugs[-1] == "a" * 197 + "-12"


def test_a_slug_that_ends_in_a_great_number_leaves_the_small_ones_free():
    slugs = [EventFactory(slug=slug).slug for slug in ("x", "x-999999999", "x", "x")]

    assert slugs[2:] == ["x-2", "x-3"]


@pytest.mark.parametrize("field", ["title", "description", "excerpt"])
@pytest.mark.parametrize(("character", "count"), [("<", 2_400_000), ("\ufdfa", 700_000)])
def test_an_endless_text_is_refused_in_the_time_of_reading_it(field, character, count):
    def refuse(count):
        assert list(refused(create_event(**{field: character * count}))) == [field]

    assert effort(lambda: refuse(count)) < 30 * effort(lambda: refuse(300_000))


def test_a_text_is_not_longer_for_having_been_cleaned():
    refusal = refused(create_event(description="&" * 100_000))

    assert "250000" in refusal["description"]


def test_many_new_names_are_refused():
    refusal = refused(create_event(venue=[{"venue": f"Hall {n}"} for n in range(101)]))

    assert refusal == {"venue": "venue accepts at most 100 values, not 101."}


def test_a_deep_tree_is_checked_in_few_queries(django_assert_max_num_queries):
    top, *_, last = ids = range(1_000_000, 1_002_000)
    Category.objects.bulk_create(
        Category(id=pk, name=f"c{pk}", slug=f"c{pk}", parent_id=pk - 1 if pk > top else None)
        for pk in ids
    )

    with django_assert_max_num_queries(50):
        below = create("categories", {"name": "new", "parent": last})
        turned = change(Category.objects.get(pk=top), {"parent": last})

    assert below.status_code == 201
    assert "one of its descendants" in refused(turned)["parent"]


def test_an_event_cannot_be_below_its_own_descendant():
    first = EventFactory()
    second = EventFactory(parent=first)
    third = EventFactory(parent=second)

    assert list(refused(change_event(first, post_parent=third.pk))) == ["post_parent"]
    assert list(refused(change_event(first, post_parent=first.pk))) == ["post_parent"]
    assert change_event(third, post_parent=first.pk).status_code == 200
    assert Event.objects.get(pk=third.pk).parent_id == first.pk


def test_a_category_is_not_its_own_parent():
    category = CategoryFactory()

    assert list(refused(change(category, {"parent": category.pk}))) == ["parent"]


def queries(path):
    with CaptureQueriesContext(connection) as captured:
        get(path)
    return len(captured)


def test_a_large_answer_is_not_cached(monkeypatch):
    EventFactory()
    few = [queries("/events?x=1") for _ in range(2)]
    monkeypatch.setattr(caching, "MAX_CACHED_BYTES", 100)

    many = [queries("/events?x=2") for _ in range(2)]

    assert few[1] < few[0]
    assert many[1] > few[1]


def test_without_permission_for_venues_no_venue_is_created_with_an_event():
    user = UserFactory()
    user.user_permissions.add(Permission.objects.get(codename="add_event"))

    answer = create_event(client_of(user), venue={"venue": "Hall"})

    refused(answer, 403, "rest_forbidden")
    assert (Venue.objects.count(), Event.objects.count()) == (0, 0)
