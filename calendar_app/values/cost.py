"""Costs as people write them.

A cost is one amount, several amounts (the lowest and the highest are shown), or a text:

    written                 text                values
    12, "12"                $12                 ["12"]          (the site's symbol)
    "20$"                   20$                 ["20"]          (one amount: as written)
    "10-25", [25, 10]       $10 – $25           ["10", "25"]
    [30, 10, 20]            $10 – $30           ["10", "20", "30"]
    "15 € – 1.200,50 €"     15 € – 1.200,50 €   ["15", "1200.50"]
    0, "$0.00", "free"      Free                ["0"]
    "Pay what you can"      Pay what you can    ["pay-what-you-can"]
    "", None, []                                []

An amount is a number with at most one word beside it, its symbol. Amounts with different symbols,
and anything that does not consist of amounts only, are a text. The full form of a cost contains
every amount, `$10 – $20 – $30`, and means the same cost: `parse(parse(x).full) == parse(x)`.
"""

import re
import reprlib
from contextlib import suppress
from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple

from django.utils.text import slugify

from .html import plain_text

MAX_LENGTH = 255
MAX_FULL_LENGTH = 2000
MAX_AMOUNTS = 100
FREE = "Free"

# ISO 4217 codes of the currencies that these signs mean most often.
CODES = {
    "$": "USD",
    "us$": "USD",
    "€": "EUR",
    "euro": "EUR",
    "euros": "EUR",
    "£": "GBP",
    "¥": "JPY",
    "₹": "INR",
    "₩": "KRW",
    "₽": "RUB",
    "₺": "TRY",
    "₴": "UAH",
    "₪": "ILS",
    "₱": "PHP",
    "₫": "VND",
    "฿": "THB",
    "₦": "NGN",
    "r$": "BRL",
    "a$": "AUD",
    "ca$": "CAD",
    "c$": "CAD",
    "nz$": "NZD",
    "hk$": "HKD",
    "s$": "SGD",
    "zł": "PLN",
    "kč": "CZK",
    "ft": "HUF",
    "fr.": "CHF",
}

# A point ends a word only after a letter: Rs.500 is five hundred, $.50 is a half.
WORD = r"(?!to\b)[^\s\d<>,;|/–—.-]{1,9}(?:(?<=[^\W\d_])\.)?"
NUMBER = r"[0-9][0-9.,'’]*(?: [0-9]{3}(?:[.,][0-9]+)?)*|[.,][0-9]+"
AMOUNT = re.compile(
    rf"(?:(?P<prefix>{WORD})(?P<before> ?))?(?P<number>{NUMBER})"
    rf"(?:(?P<after> ?)(?P<postfix>{WORD}))?"
)
BETWEEN = re.compile(r" ?[–—;|/-] ?| to |, ")
NEGATIVE = re.compile(rf"(?:{WORD})? ?[-−] ?(?:{WORD})? ?[0-9.,]+ ?(?:{WORD})?")

# The decimal mark is a point, or else a comma with one or two digits after it.
POINT = re.compile(r"(?:[0-9]{1,3}(?:[,'’ ][0-9]{3})+|[0-9]*)(?:\.[0-9]+)?")
COMMA = re.compile(r"(?:[0-9]{1,3}(?:[.'’ ][0-9]{3})+|[0-9]*)(?:,[0-9]{1,2})?")
GROUPING = {POINT: str.maketrans("", "", ",'’ "), COMMA: str.maketrans(",", ".", ".'’ ")}


class CostError(ValueError):
    """The value cannot be a cost; the message is a sentence."""


class Cost(NamedTuple):
    """A cost as shown, its full form to store, and its details: currency_symbol, currency_code,
    currency_position and values, a list of strings.
    """

    text: str
    full: str
    details: dict[str, Any]


class Currency(NamedTuple):
    """A symbol, its position (`prefix` or `postfix`) and the gap between it and the number."""

    symbol: str
    position: str
    gap: str

    def show(self, number: str) -> str:
        """Return a number as written, with the symbol."""
        if self.position == "prefix":
            return f"{self.symbol}{self.gap}{number}"
        return f"{number}{self.gap}{self.symbol}"


class Amount(NamedTuple):
    """A number as written, its value, and its currency if it has one."""

    written: str
    value: Decimal
    currency: Currency | None = None

    def show(self, currency: Currency) -> str:
        """Return the amount in a currency, or `Free` for 0."""
        return currency.show(self.written) if self.value else FREE


def parse(value: object, *, symbol: str = "$", code: str = "USD", position: str = "prefix") -> Cost:
    """Return the cost for a string, a number, a list of these or None. Raises CostError.

    `symbol` (one word), its ISO 4217 `code` and its `position` (`prefix` or `postfix`) are the
    site's, for amounts without a symbol. An unknown symbol gets the site's code.
    """
    items = value if isinstance(value, list | tuple) else [value]
    if len(items) > MAX_AMOUNTS:
        raise CostError(f"A cost has at most {MAX_AMOUNTS} amounts; this has {len(items)}.")
    text = " – ".join(filter(None, map(_line, items)))
    amounts = _amounts(text)
    currency = _currency(amounts) or _site_currency(symbol, position)
    details = {
        "currency_symbol": currency.symbol,
        "currency_code": code if currency.symbol == symbol else _code(currency.symbol, code),
        "currency_position": currency.position,
        "values": [f"{each.value:f}" for each in amounts] or _slug(text),
    }
    shown = [each.show(currency) for each in amounts] or [text]
    text, full = " – ".join(dict.fromkeys((shown[0], shown[-1]))), " – ".join(shown)
    return Cost(_limited(MAX_LENGTH, text), _limited(MAX_FULL_LENGTH, full), details)


def with_all_amounts(text: object, details: object) -> object:
    """Return the amounts of a cost as a list if its details name more than the two that are shown
    in text; otherwise text.
    """
    match details:
        case {"values": [_, _, _, *_] as values, "currency_symbol": str(symbol), **more}:
            amounts = [f"{value}{symbol}" for value in values]
            if more.get("currency_position") == "prefix":
                amounts = [f"{symbol}{value}" for value in values]
            with suppress(CostError):
                return amounts if parse(amounts).details["values"] == values else text
    return text


def _line(item: object) -> str:
    """Return one item as a line of text."""
    if item is None:
        return ""
    if isinstance(item, str):
        text = " ".join(plain_text(item).split())
    elif isinstance(item, int | float | Decimal) and not isinstance(item, bool):
        text = _digits(Decimal(repr(item) if isinstance(item, float) else item))
    else:
        raise CostError(
            f"{reprlib.repr(item)} is not a cost; give a number, a text such as '10-25', "
            "or a list of these."
        )
    if NEGATIVE.fullmatch(_limited(MAX_FULL_LENGTH, text)):
        raise CostError(f"{text!r} is not a cost: an amount is 0 or more.")
    return text


def _limited(length: int, text: str) -> str:
    if len(text) > length:
        raise CostError(f"A cost has at most {length} characters; this has {len(text)}.")
    return text


def _digits(number: Decimal) -> str:
    if not number.is_finite():
        raise CostError(f"{number} is not a cost; give a number such as 12.50.")
    return f"{number.to_integral_value() if number == number.to_integral_value() else number:f}"


@lru_cache(maxsize=1024)
def _amounts(text: str) -> tuple[Amount, ...]:
    """Return the different amounts in a text, in ascending order; none if it contains anything but
    amounts in one currency.
    """
    read = [_amount(part) for part in BETWEEN.split(text)]
    amounts = [each for each in read if each]
    currencies = [each.currency for each in amounts if each.currency]
    if len(amounts) < len(read) or len({each.symbol for each in currencies}) > 1:
        return ()
    shared = currencies[0] if currencies else None
    different = {each.value: each for each in reversed(amounts)}
    return tuple(different[value]._replace(currency=shared) for value in sorted(different))


def _amount(text: str) -> Amount | None:
    if text.lower() == FREE.lower():
        return Amount(FREE, Decimal(0))
    match = AMOUNT.fullmatch(text)
    if not match or (match["prefix"] and match["postfix"]):
        return None
    value = _number(match["number"])
    return None if value is None else Amount(match["number"], value, _written_currency(match))


def _number(written: str) -> Decimal | None:
    for pattern, grouping in GROUPING.items():
        if pattern.fullmatch(written):
            # "0.00" and "0" are the same value.
            return Decimal(written.translate(grouping)) or Decimal(0)
    return None


def _written_currency(match: re.Match[str]) -> Currency | None:
    if match["prefix"]:
        return Currency(match["prefix"], "prefix", match["before"])
    if match["postfix"]:
        return Currency(match["postfix"], "postfix", match["after"])
    return None


def _currency(amounts: tuple[Amount, ...]) -> Currency | None:
    """Return the currency of amounts; a free event has none."""
    return amounts[-1].currency if amounts and amounts[-1].value else None


def _site_currency(symbol: str, position: str) -> Currency:
    # A word needs a gap, a sign does not: CHF 12, $12.
    return Currency(symbol, position, " " if symbol.rstrip(".").isalpha() else "")


def _code(symbol: str, default: str) -> str:
    if len(symbol) == 3 and symbol.isascii() and symbol.isalpha() and symbol.isupper():
        return symbol
    return CODES.get(symbol.lower(), default)


def _slug(text: str) -> list[str]:
    return [slug] if (slug := slugify(text, allow_unicode=True)) else []
