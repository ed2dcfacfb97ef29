"""What commands print: progress bars and counts."""

import sys
from contextlib import contextmanager

from django.utils.text import get_text_list
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


@contextmanager
def progress(title, total=None):
    """Show a progress bar on a terminal; yield the function to call with (done, total)."""
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    console = Console(stderr=True)
    with Progress(
        *columns, TimeRemainingColumn(), console=console, disable=not sys.stderr.isatty()
    ) as bar:
        task = bar.add_task(title, total=total)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def counted(numbers):
    """Return ``{model: number}`` in words: ``2 events, 1 venue and 3 tags``."""
    parts = [
        f"{number} {model._meta.verbose_name if number == 1 else model._meta.verbose_name_plural}"
        for model, number in numbers.items()
        if number
    ]
    return get_text_list(parts, "and")
