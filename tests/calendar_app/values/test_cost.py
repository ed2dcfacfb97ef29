from contextlib import suppress
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calendar_app.values import cost
from calendar_app.values.cost import Cost, CostError
from tests.effort import effort

EURO = {"symbol": "€", "code": "EUR", "position": "postfix"}


def details(*values, symbol="$", code="USD", position="prefix"):
    return {
        "currency_symbol": symbol,
        "currency_code": code,
        "currency_position": position,
        "values": list(values),
    }


@pytest.mark.parametrize(
    ("value", "text", "values"),
    [
        (12, "$12", ["12"]),
        ("12", "$12", ["12"]),
        (" 12 ", "$12", ["12"]),
        ("12.50", "$12.50", ["12.50"]),
        (12.5, "$12.5", ["12.5"]),
        (12.0, "$12", ["12"]),
        (Decimal("12.50"), "$12.50", ["12.50"]),
        (1e21, "$1000000000000000000000", ["1000000000000000000000"]),
        ("$.50", "$.50", ["0.50"]),
        ("007", "$007", ["7"]),
        ("1,200", "$1,200", ["1200"]),
        ("1,200.50", "$1,200.50", ["1200.50"]),
        ("1.200,50", "$1.200,50", ["1200.50"]),
        ("1.200.000", "$1.200.000", ["1200000"]),
        ("1'200.50", "$1'200.50", ["1200.50"]),
        ("1 200,50", "$1 200,50", ["1200.50"]),
        ("10,50", "$10,50", ["10.50"]),
        (0, "Free", ["0"]),
        (0.0, "Free", ["0"]),
        ("0", "Free", ["0"]),
        ("$0.00", "Free", ["0"]),
        ("free", "Free", ["0"]),
        ("10-25", "$10 – $25", ["10", "25"]),
        ("$10-$25", "$10 – $25", ["10", "25"]),
        ("$10 – $25", "$10 – $25", ["10", "25"]),
        ("10 to 25", "$10 – $25", ["10", "25"]),
        ("10, 25", "$10 – $25", ["10", "25"]),
        ("25/10", "$10 – $25", ["10", "25"]),
        ("9-10", "$9 – $10", ["9", "10"]),
        ("0-25", "Free – $25", ["0", "25"]),
        ("Free – $25", "Free – $25", ["0", "25"]),
        ("10 - 10.00", "$10", ["10"]),
        ([10, "25"], "$10 – $25", ["10", "25"]),
        ((25, 15, 10), "$10 – $25", ["10", "15", "25"]),
        (["10-15", "$25"], "$10 – $25", ["10", "15", "25"]),
        ("10 – 15 – 15.00 – 25", "$10 – $25", ["10", "15", "25"]),
        ([10, None, ""], "$10", ["10"]),
        (["free", 0], "Free", ["0"]),
        ("Pay what you can", "Pay what you can", ["pay-what-you-can"]),
        ("  Pay   what\nyou can ", "Pay what you can", ["pay-what-you-can"]),
        (["Members free", 10], "Members free – 10", ["members-free-10"]),
        ("$20 at the door", "$20 at the door", ["20-at-the-door"]),
        ("$10 – €25", "$10 – €25", ["10-25"]),
        ("-50% for members", "-50% for members", ["50-for-members"]),
        ("5 to 10 to", "5 to 10 to", ["5-to-10-to"]),
        ("Бесплатно", "Бесплатно", ["бесплатно"]),
        ("1,2,3", "1,2,3", ["123"]),
        ("<b>12</b>", "$12", ["12"]),
        ("Tom & Jerry", "Tom & Jerry", ["tom-jerry"]),
        ("???", "???", []),
        ("", "", []),
        (None, "", []),
        ([], "", []),
        (["", None], "", []),
    ],
)
def test_a_cost_is_amounts_or_a_text(value, text, values):
    parsed = cost.parse(value)

    assert (parsed.text, parsed.details) == (text, details(*values))


@pytest.mark.parametrize(
    ("value", "full", "values"),
    [
        ([30, 10, 20], "$10 – $20 – $30", ["10", "20", "30"]),
        (["0$", "20$", "30$"], "Free – 20$ – 30$", ["0", "20", "30"]),
        (range(1, 101), " – ".join(f"${n}" for n in range(1, 101)), [*map(str, range(1, 101))]),
    ],
)
def test_the_full_form_names_every_amount(value, full, values):
    parsed = cost.parse(list(value))

    assert (parsed.full, parsed.details["values"]) == (full, values)
    assert cost.parse(full) == parsed


@pytest.mark.parametrize("value", [["0$", "20$", "30$"], [30, 10, 20], "€ 1 – € 2 – € 3"])
def test_all_amounts_of_a_cost_follow_from_what_it_shows(value):
    shown = cost.parse(value)

    again = cost.parse(cost.with_all_amounts(shown.text, shown.details))

    assert again.details == shown.details


@pytest.mark.parametrize(
    "details",
    [None, {}, {"values": ["1", "2"], "currency_symbol": "$"}, {"values": [1, 2, 3]}, "x"]
    + [{"values": values, "currency_symbol": "$"} for values in (["a", "b", "c"], [{}, None, []])],
)
def test_a_cost_is_its_text_where_its_details_name_no_more(details):
    assert cost.with_all_amounts("1 – 2", details) == "1 – 2"


@pytest.mark.parametrize(
    ("value", "text", "currency"),
    [
        ("20$", "20$", {"symbol": "$", "code": "USD", "position": "postfix"}),
        ("€ 20", "€ 20", {"symbol": "€", "code": "EUR", "position": "prefix"}),
        ("20 €", "20 €", {"symbol": "€", "code": "EUR", "position": "postfix"}),
        ("20 euros", "20 euros", {"symbol": "euros", "code": "EUR", "position": "postfix"}),
        ("£20", "£20", {"symbol": "£", "code": "GBP", "position": "prefix"}),
        ("R$ 20", "R$ 20", {"symbol": "R$", "code": "BRL", "position": "prefix"}),
        ("CHF 20", "CHF 20", {"symbol": "CHF", "code": "CHF", "position": "prefix"}),
        ("Fr. 20", "Fr. 20", {"symbol": "Fr.", "code": "CHF", "position": "prefix"}),
        ("Rs.20", "Rs.20", {"symbol": "Rs.", "code": "USD", "position": "prefix"}),
        ("20 zł", "20 zł", {"symbol": "zł", "code": "PLN", "position": "postfix"}),
        ("20 credits", "20 credits", {"symbol": "credits", "code": "USD", "position": "postfix"}),
    ],
)
def test_what_stands_beside_the_number_is_its_symbol(value, text, currency):
    assert cost.parse(value) == Cost(text, text, details("20", **currency))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("15 € - 25 €", "15 € – 25 €"),
        ("15-25€", "15€ – 25€"),
        ("€15-25", "€15 – €25"),
        ("EUR 15-EUR 25", "EUR 15 – EUR 25"),
    ],
)
def test_amounts_share_the_symbol_of_the_first_that_has_one(value, text):
    parsed = cost.parse(value)

    assert (parsed.text, parsed.details["currency_code"]) == (text, "EUR")
    assert parsed.details["values"] == ["15", "25"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (12, Cost("12€", "12€", details("12", **EURO))),
        ("10-25", Cost("10€ – 25€", "10€ – 25€", details("10", "25", **EURO))),
        ("0", Cost("Free", "Free", details("0", **EURO))),
        ("Ask us", Cost("Ask us", "Ask us", details("ask-us", **EURO))),
        ("", Cost("", "", details(**EURO))),
        ("$12", Cost("$12", "$12", details("12"))),
        (
            "12 credits",
            Cost("12 credits", "12 credits", details("12", **EURO | {"symbol": "credits"})),
        ),
    ],
)
def test_the_site_s_currency_is_used_where_none_is_written(value, expected):
    assert cost.parse(value, **EURO) == expected


def test_a_site_s_symbol_that_is_a_word_has_a_gap():
    assert cost.parse("10-25", symbol="CHF", code="CHF").text == "CHF 10 – CHF 25"
    assert cost.parse("10", symbol="Kč", code="CZK", position="postfix").text == "10 Kč"


def test_a_site_s_symbol_has_the_site_s_code():
    parsed = cost.parse("$12", symbol="$", code="CAD")

    assert parsed.details["currency_code"] == "CAD"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (True, "True is not a cost; give a number, a text such as '10-25', or a list of these."),
        ({"a": 1}, "{'a': 1} is not a cost; give a number, a text such as '10-25', or a list of "),
        ([[10]], "[10] is not a cost; give a number, a text such as '10-25', or a list of these."),
        (float("nan"), "NaN is not a cost; give a number such as 12.50."),
        (float("inf"), "Infinity is not a cost; give a number such as 12.50."),
        (-5, "'-5' is not a cost: an amount is 0 or more."),
        ("$-5", "'$-5' is not a cost: an amount is 0 or more."),
        ("-5 €", "'-5 €' is not a cost: an amount is 0 or more."),
        ("x" * 256, "A cost has at most 255 characters; this has 256."),
        ([10**5000], "A cost has at most 2000 characters; this has 5001."),
        ([10, -5], "'-5' is not a cost: an amount is 0 or more."),
        (["x" * 150] * 2, "A cost has at most 255 characters; this has 303."),
        ([1] * 101, "A cost has at most 100 amounts; this has 101."),
    ],
)
def test_what_cannot_be_a_cost_is_refused(value, message):
    with pytest.raises(CostError) as caught:
        cost.parse(value)

    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("text", ["1", "1 111", "a", "$", "1-", "1,111", "a 1", "-", "'1", "1 – "])
def test_the_time_that_a_cost_takes_grows_with_its_length(text):
    def read(length):
        with suppress(CostError):
            cost.parse((text * length)[: length - 1] + "1")

    assert effort(lambda: read(2_000)) < 40 * effort(lambda: read(200))


NUMBERS = st.decimals(min_value=0, max_value=10**6, places=2) | st.integers(0, 10**6)
WORDS = ["$", "€", "£", "kr", "CHF", "Fr.", "free", "to", "-", " – ", ", ", ".", ",", "/", " ", "'"]
TEXTS = st.text() | st.lists(st.sampled_from(WORDS) | NUMBERS.map(str), max_size=8).map("".join)
VALUES = TEXTS | NUMBERS | st.floats() | st.none() | st.booleans() | st.dictionaries(TEXTS, TEXTS)
SITES = st.sampled_from(
    [{}, EURO, {"symbol": "CHF", "code": "CHF"}, {"symbol": "kr.", "position": "postfix"}]
)


@given(VALUES | st.lists(VALUES, max_size=4), SITES)
def test_any_value_is_a_cost_that_reads_as_itself_or_refused(value, site):
    try:
        parsed = cost.parse(value, **site)
    except CostError:
        return

    assert cost.parse(parsed.full, **site) == parsed


@given(st.lists(NUMBERS, min_size=1, max_size=100))
def test_values_are_all_amounts_in_order(numbers):
    try:
        values = cost.parse(numbers).details["values"]
    except CostError:
        return

    assert [Decimal(each) for each in values] == sorted(set(numbers))
