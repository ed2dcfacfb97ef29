"""The measured times and ratios as tables."""

import os
import platform

import django
import rest_framework
from django.db import connection
from rich.table import Table

from ..timing import Spread, times

BASES = ("floor", "floor that counts", "plain")


def machine():
    """Return a line that says what was measured on."""
    version = ".".join(map(str, connection.get_database_version()))
    return (
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, Python "
        f"{platform.python_version()}, Django {django.__version__}, "
        f"DRF {rest_framework.VERSION}, {connection.display_name} {version}"
    )


def compared(title, seconds, queries):
    """Return a table of cases: their times, and how many times as long each base took."""
    bases = [base for base in BASES if base in seconds]
    table = _table(title, "case", "ms", "queries", *(f"{base} ÷ case" for base in bases))
    for name, taken in seconds.items():
        ratios = [shown(times(seconds[base], taken)) for base in bases]
        table.add_row(name, shown(_milliseconds(taken)), queries.get(name, ""), *ratios)
    return table


def scaled(title, few, many, queries):
    """Return a table of what each case takes with few and with many events."""
    table = _table(title, "parameters", "few, ms", "many, ms", "many ÷ few", "queries")
    for name, taken in many.items():
        spreads = _milliseconds(few[name]), _milliseconds(taken), times(taken, few[name])
        table.add_row(name, *map(shown, spreads), queries[name])
    return table


def shown(spread):
    """Return the median with the quartiles in brackets, three digits each."""
    low, middle, high = (f"{value:#.3g}".rstrip(".") for value in spread)
    return f"{middle} ({low}–{high})"


def _milliseconds(seconds):
    return Spread.of([1000 * value for value in seconds])


def _table(title, first, *columns):
    table = Table(title=title, title_justify="left")
    table.add_column(first)
    for column in columns:
        table.add_column(column, justify="right")
    return table
