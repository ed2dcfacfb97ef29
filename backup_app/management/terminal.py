import sys

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn


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
