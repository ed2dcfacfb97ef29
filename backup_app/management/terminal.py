"""Output of commands: tables, records, and progress."""

import io
import sys
import time
from dataclasses import asdict
from datetime import datetime

from rich.console import Console
from rich.progress import Progress as Bar
from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from ..lib.formatting import format_time

PLAIN_WIDTH = 200  # columns when not on a terminal, so that lines for programs are not wrapped
EVERY = 10  # seconds between lines on progress, so that a file has few of them


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


class Progress:
    """A bar on a terminal; elsewhere, as in a file, a line every ``EVERY`` seconds.

    ``columns`` follow the bar's title, and ``shown`` writes a number in a line.
    """

    def __init__(self, title: str, *columns, shown=str):
        self._title, self._shown = title, shown
        self._next = time.monotonic() + EVERY
        is_terminal = sys.stderr.isatty()
        named = TextColumn("{task.description}", markup=False), *columns, TimeElapsedColumn()
        self._bar = Bar(*named, console=Console(stderr=True), disable=not is_terminal)
        self._task = self._bar.add_task(title, total=None) if is_terminal else None

    def __enter__(self):
        self._bar.start()
        return self

    def __exit__(self, *exc):
        self._bar.stop()

    def update(self, done: int, total: int | None = None, title: str = ""):
        """Show that so much is done."""
        self._title = title or self._title
        if self._task is not None:
            self._bar.update(self._task, description=self._title, completed=done, total=total)
        elif time.monotonic() >= self._next:
            self._next = time.monotonic() + EVERY
            of = f" of {self._shown(total)}" if total else ""
            sys.stderr.write(f"{self._title}: {self._shown(done)}{of}\n")


def watched(items, title: str):
    """Yield items, showing how many there were so far."""
    with Progress(title, SpinnerColumn(), TextColumn("{task.completed}")) as progress:
        for number, item in enumerate(items, 1):
            yield item
            progress.update(number)
