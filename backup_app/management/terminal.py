"""Output of commands: tables, records, and progress on a terminal."""

import io
import sys
from dataclasses import asdict
from datetime import datetime

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from ..lib.formatting import format_time

PLAIN_WIDTH = 200  # columns when not on a terminal, so that lines for programs are not wrapped


def table(heads: list[str], rows: list[list], *, terminal: bool) -> str:
    """Return a table as text; a terminal's has its width and the colours of Text cells."""
    shown = Table(*heads, box=None, pad_edge=False)
    for row in rows:
        shown.add_row(*[cell if isinstance(cell, Text) else _plain(cell) for cell in row])
    width = None if terminal else PLAIN_WIDTH
    console = Console(file=io.StringIO(), force_terminal=terminal, width=width, highlight=False)
    console.print(shown)
    lines = console.file.getvalue().splitlines()
    return "\n".join(line.rstrip() for line in lines)


def record_of(removed) -> dict:
    """Return what ``jobs.retention`` removed as JSON has it."""
    found = asdict(removed)
    del found["problem"]
    return {
        name: format_time(value) if isinstance(value, datetime) else value
        for name, value in found.items()
    }


def _plain(value):
    # As Text, since brackets in a name are not markup.
    return Text("" if value is None else str(value))


def watched(items, title: str):
    """Yield items, showing on a terminal how many there were so far."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}: {task.completed}", markup=False),
        TimeElapsedColumn(),
    )
    terminal = sys.stderr.isatty()
    with Progress(*columns, console=Console(stderr=True), disable=not terminal) as bar:
        task = bar.add_task(title, total=None)
        for item in items:
            yield item
            bar.advance(task)
