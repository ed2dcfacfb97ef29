"""The results as Markdown, as JSON, and as charts."""

import os
import platform
from datetime import UTC, datetime
from html import escape

import django
import orjson

from ..tables import markdown, number, spread

COLORS = "#9aa5b1", "#2b6cb0", "#dd6b20"
ROW, LEFT, WIDTH = 16, 220, 420


def machine() -> str:
    """Return a line that says when and on what was measured."""
    return (
        f"{datetime.now(UTC):%Y-%m-%d}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, "
        f"Python {platform.python_version()}, Django {django.__version__}"
    )


def overview(results: dict) -> str:
    """Return the table of docs/performance.md: requests a second of the floor and ours."""
    head = ["requests a second"]
    for database in results:
        head += [f"{database}: floor", "ours", "ours ÷ floor"]
    rows = [
        [name, *(cell for kind in results for cell in _cells(results, kind, name)), _aim(found)]
        for name, found in _by_name(results).items()
    ]
    return markdown([*head, "aim"], rows)


def details(results: list) -> str:
    """Return the table of a database with quartiles, and the times of the processor."""
    rows = [
        [r.name, spread(r.ratio), *map(number, [r.processor(r.floor), r.processor(r.ours)])]
        for r in results
    ]
    return markdown(["", "ours ÷ floor", "floor, ms of processor", "ours"], rows)


def growth(by_number: dict) -> str:
    """Return the table of filters among each number of events."""
    few = next(iter(by_number.values()))
    head = ["nothing kept", *(f"{n:,}: ms (÷ floor's list)" for n in by_number), "most ÷ few"]
    rows = []
    for place, first in enumerate(few):
        found = [results[place] for results in by_number.values()]
        cells = [f"{milliseconds(r):.1f} ({number(1 / r.ratio.middle)})" for r in found]
        times = milliseconds(found[-1]) / milliseconds(first)
        rows.append([first.name, *cells, number(times)])
    return markdown(head, rows)


def milliseconds(result) -> float:
    """Return what a request to ours takes of a worker that does nothing else."""
    return 1000 / result.rate(result.ours)


def as_json(found: dict) -> bytes:
    """Return all that was measured, each turn of it."""
    return orjson.dumps(found, default=vars, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS)


def ratios(results: dict) -> str:
    """Return a chart of ours ÷ floor, with the aims."""
    named = _by_name(results)
    bars = {"aim": [found[0].aim and max(found[0].aim) for found in named.values()]}
    for kind in results:
        by_name = {r.name: r for r in results[kind]}
        bars[kind] = [name in by_name and by_name[name].ratio.middle for name in named]
    return chart("Requests a second, ours ÷ floor", list(named), bars)


def chart(title: str, names: list[str], series: dict[str, list]) -> str:
    """Return an SVG of horizontal bars: for each name one of each series that has a value."""
    most = max(value for values in series.values() for value in values if value)
    height = 50 + len(names) * (len(series) * ROW + 8)
    parts = [f'<text x="4" y="18" font-weight="bold">{escape(title)}</text>']
    for place, (kind, color) in enumerate(zip(series, COLORS, strict=False)):
        parts.append(f'<text x="{LEFT + place * 110}" y="38" fill="{color}">■ {kind}</text>')
    for row, name in enumerate(names):
        top = 50 + row * (len(series) * ROW + 8)
        parts.append(f'<text x="4" y="{top + 12}">{escape(name)}</text>')
        for place, (values, color) in enumerate(zip(series.values(), COLORS, strict=False)):
            if value := values[row]:
                y, width = top + place * ROW, max(1, value / most * WIDTH)
                box = f'x="{LEFT}" y="{y}" width="{width:.0f}" height="{ROW - 2}"'
                parts.append(f'<rect {box} fill="{color}"/>')
                parts.append(
                    f'<text x="{LEFT + width + 4:.0f}" y="{y + 12}">{number(value)}</text>'
                )
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 60}" height="{height}" '
        f'font-family="sans-serif" font-size="12">\n{body}\n</svg>\n'
    )


def _by_name(results):
    """Return the results of all databases, by the names of their cases."""
    found = {}
    for of_database in results.values():
        for result in of_database:
            found.setdefault(result.name, []).append(result)
    return found


def _cells(results, kind, name):
    for result in results[kind]:
        if result.name == name:
            ratio = number(result.ratio.middle)
            aim = result.aim and result.aim[kind == "PostgreSQL"]
            missed = aim and result.ratio.middle < aim
            rates = number(result.rate(result.floor)), number(result.rate(result.ours))
            return [*rates, f"**{ratio}**" if missed else ratio]
    return ["", "", ""]


def _aim(found):
    aims = found[0].aim
    return "" if not aims else " / ".join(f"{aim:g}" for aim in dict.fromkeys(aims))
