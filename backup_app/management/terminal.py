"""What commands show on a terminal: tables, and how far they are."""

import io
import sys

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

PLAIN_WIDTH = 200  # of what is no terminal, so that nothing is wrapped for a program that reads it


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


def _plain(value):
    # As Text, brackets in a name are no markup.
    return Text("" if value is None else str(value))


def watched(items, title: str):
    """Yield items; a terminal shows how many there were so far."""
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
