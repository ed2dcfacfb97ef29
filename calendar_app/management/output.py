"""What commands print: progress bars and counts."""

import sys
import time
from contextlib import contextmanager

from django.utils.text import get_text_list
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

EVERY = 10  # seconds between lines on progress, so that a file has few of them


@contextmanager
def progress(title, total=None):
    """Show a progress bar on a terminal, elsewhere a line every ``EVERY`` seconds.

    Yields the function to call with (done, total).
    """
    if not sys.stderr.isatty():
        yield Lines(title).show
        return
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True)) as bar:
        task = bar.add_task(title, total=total)
        yield lambda done, total: bar.update(task, completed=done, total=total)


class Lines:
    """Writes lines on progress where there is no terminal."""

    def __init__(self, title):
        self._title, self._next = title, time.monotonic() + EVERY

    def show(self, done, total):
        """Write how much is done, unless that was written a short time ago."""
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + EVERY
            sys.stderr.write(f"{self._title}: {done}{f' of {total}' if total else ''}\n")


def numbers_by_name(numbers):
    """Return ``{model: number}`` with the models' names, as JSON has it."""
    return {str(model._meta.verbose_name_plural): number for model, number in numbers.items()}


def counted(numbers):
    """Return ``{model: number}`` in words: ``2 events, 1 venue and 3 tags``."""
    parts = [
        f"{number} {model._meta.verbose_name if number == 1 else model._meta.verbose_name_plural}"
        for model, number in numbers.items()
        if number
    ]
    return get_text_list(parts, "and")
