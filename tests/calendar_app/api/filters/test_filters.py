"""What holds for every parameter of every list."""

from urllib.parse import quote

import pytest
from drf_spectacular.drainage import get_override
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from calendar_app.api.filters.event import EventFilterSet
from calendar_app.api.filters.linked import OrganizerFilterSet, VenueFilterSet
from calendar_app.api.filters.term import CategoryFilterSet, TagFilterSet

from ...support.filtering import filtered

pytestmark = pytest.mark.django_db

FILTERSETS = [CategoryFilterSet, EventFilterSet, OrganizerFilterSet, TagFilterSet, VenueFilterSet]
PARAMETERS = [(filterset, name) for filterset in FILTERSETS for name in filterset.base_filters]
HOSTILE = [
    "\0",
    "'",
    '"; DROP TABLE x; --',
    "%00",
    "\u0661",
    "\ufffd",
    "\U0001f600",
    "-0",
    "+1",
    "1e3",
    "0x1",
    "NaN",
    "-Infinity",
    str(2**63),
    str(-(2**63)),
    "9" * 5000,
    "x" * 1_000_000,
    ",",
    ",,1,,",
    "[]",
    "{}",
    "null",
    "0000-00-00",
    "+999999999 years",
    "10000-01-01",
]


def ids(value):
    return value.__name__ if isinstance(value, type) else None


def answer(filterset_class, query):
    """Return the refusals of the query, or the number of records that it finds."""
    filterset = filtered(filterset_class, query)
    return len(filterset.qs) if filterset.is_valid() else filterset.errors


@pytest.mark.parametrize(("filterset", "name"), PARAMETERS, ids=ids)
class TestEveryParameter:
    def test_answers_or_refuses_hostile_values_by_name(self, filterset, name):
        for value in HOSTILE:
            found = answer(filterset, f"{name}={quote(value)}")

            assert found == 0 or name in found
            assert len(str(found)) < 1000

    @settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(text=st.text(st.characters(codec="utf-8"), max_size=30))
    def test_answers_or_refuses_any_text(self, filterset, name, text):
        found = answer(filterset, f"{name}={quote(text)}")

        assert found == 0 or name in found

    @pytest.mark.parametrize("value", ["", "%20", "%09"])
    def test_refuses_an_empty_value(self, filterset, name, value):
        found = answer(filterset, f"{name}={value}")

        assert found[name][0] == f"The parameter {name} is empty; give it a value."

    def test_refuses_a_nul_character(self, filterset, name):
        assert name in answer(filterset, f"{name}=a%00b")

    def test_is_described(self, filterset, name):
        described = get_override(filterset.base_filters[name], "field")

        assert described["description"].endswith(".")
        assert described["type"] in {"string", "integer", "number", "boolean", "array"}
