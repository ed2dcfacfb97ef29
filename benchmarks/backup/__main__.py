"""Measures the archive engine beside ``tar | zstd -3 -T0`` on the same tree, all in one run."""

import argparse
import os
import shutil
import tempfile
from pathlib import Path

from rich.console import Console
from rich.table import Table

from ..timing import Spread, times
from . import trees
from .measuring import Step, archived, started

GOALS = {"full": 1.5, "nothing changed": 0.3}  # times what tar and zstd take


def main():
    options = parsed()
    folder = Path(tempfile.mkdtemp(prefix="backup-", dir=options.folder))
    try:
        tree = folder / "tree"
        size = trees.grow(tree, options.files)
        print(f"{options.files} files, {size / 1e6:.0f} MB, {os.cpu_count()} cores")  # noqa: T201
        report(measured(folder, tree, options))
    finally:
        shutil.rmtree(folder)


def parsed():
    parser = argparse.ArgumentParser(prog="benchmarks.backup", description=__doc__)
    parser.add_argument("--files", type=int, default=50_000, help="how many small files")
    parser.add_argument("--rounds", type=int, default=3, help="how often each step is run")
    parser.add_argument("--folder", help="where the tree and the volumes are put for the run")
    parser.add_argument(
        "--database", default="sqlite", help="'sqlite', or the URL of an empty database"
    )
    options = parser.parse_args()
    if options.rounds < 2:
        parser.error("--rounds must be 2 or more: quartiles need them.")
    return options


def measured(folder, tree, options):
    """Return for each step the seconds, on the clock and of the processor, and the megabytes."""
    started(folder, options.database, Step.PREPARE)
    archived(tree)  # so that all of them find the tree in the memory of the system
    found = {}
    steps = [Step.FULL, Step.UNCHANGED, Step.LISTING, Step.ONE_FILE]
    for number in range(options.rounds):
        trees.touch(tree, number)
        results = {"tar | zstd": (*archived(tree), 0)}
        results |= {step.value: started(folder, options.database, step) for step in steps}
        for name, result in results.items():
            for values, value in zip(found.setdefault(name, ([], [], [])), result, strict=True):
                values.append(value)
    return found


def report(found):
    table = Table(title="Medians and quartiles of all rounds", title_justify="left")
    for column in ("step", "seconds", "÷ tar", "of processor", "÷ tar", "goal", "most MB"):
        table.add_column(column, justify="left" if column == "step" else "right")
    base, base_used, _ = found["tar | zstd"]
    for name, (seconds, used, memory) in found.items():
        goal = f"{GOALS[name]}" if name in GOALS else ""
        on_clock = shown(Spread.of(seconds)), shown(times(seconds, base))
        of_processor = shown(Spread.of(used)), shown(times(used, base_used))
        table.add_row(name, *on_clock, *of_processor, goal, f"{max(memory):.0f}")
    Console().print(table)


def shown(values):
    low, middle, high = (f"{value:#.3g}".rstrip(".") for value in values)
    return f"{middle} ({low}–{high})"


if __name__ == "__main__":
    main()
