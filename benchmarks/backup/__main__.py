"""Measures the archive engine beside ``tar --xattrs --acls | zstd -3 -T2`` on the same tree."""

import argparse
import shutil
import tempfile
from pathlib import Path

from ..tables import markdown, number, spread
from ..timing import Spread, times
from . import trees
from .measuring import Step, archived, started

GOALS = {"full": 1.25, "nothing changed": 0.15}  # times what tar and zstd take


def main():
    options = parsed()
    found = measure(options.files, options.rounds, options.folder, options.database)
    print(table(found))  # noqa: T201


def measure(files, rounds, parent=None, database="sqlite"):
    """Return for each step the seconds, on the clock and of the processor, and the megabytes."""
    folder = Path(tempfile.mkdtemp(prefix="backup-", dir=parent))
    try:
        tree = folder / "tree"
        trees.grow(tree, files)
        return measured(folder, tree, rounds, database)
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


def measured(folder, tree, rounds, database):
    started(folder, database, Step.PREPARE)
    archived(tree)  # so that all of them find the tree in the memory of the system
    found = {}
    steps = [Step.FULL, Step.UNCHANGED, Step.LISTING, Step.ONE_FILE]
    for turn in range(rounds):
        trees.touch(tree, turn)
        results = {"tar, zstd": (*archived(tree), 0)}
        results |= {step.value: started(folder, database, step) for step in steps}
        for name, result in results.items():
            for values, value in zip(found.setdefault(name, ([], [], [])), result, strict=True):
                values.append(value)
    return found


def table(found):
    """Return the medians and quartiles of all rounds as a table."""
    base, base_used, _ = found["tar, zstd"]
    rows = []
    for name, (seconds, used, memory) in found.items():
        on_clock = spread(Spread.of(seconds)), spread(times(seconds, base))
        of_processor = spread(Spread.of(used)), spread(times(used, base_used))
        goal = GOALS.get(name, "")
        rows.append([name, *on_clock, *of_processor, goal, number(max(memory))])
    head = ["step", "seconds", "÷ tar", "of processor", "÷ tar", "goal", "most MB"]
    return markdown(head, rows)


if __name__ == "__main__":
    main()
