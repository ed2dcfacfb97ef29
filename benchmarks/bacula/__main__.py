"""Measures the Bacula engine beside bare queries and ``cp -a``, in one run on one installation."""

import argparse
import os
import re
import shutil
import subprocess
import tempfile
from functools import partial
from pathlib import Path
from time import perf_counter

from rich.console import Console
from rich.table import Table

from tests.backup_app.engines.bacula.support import release
from tests.backup_app.engines.bacula.support.installation import SERVER, Installation

from ..timing import Case, Spread, by_turns
from . import service, trees
from .ending import Ending
from .floor import Floor, processor

PAGE = 100


def main():
    options = parsed()
    folder = Path(tempfile.mkdtemp(prefix="bacula-", dir=options.folder))
    installation = Installation(folder)
    try:
        installation.start()
        found = measured(folder, installation, options)
        run = f"{options.files:,} files, {options.increments} increments, {os.cpu_count()} cores"
        print(f"Bacula {release.VERSION or 'of this machine'}, {run}")  # noqa: T201
        report(found)
    finally:
        installation.stop()
        shutil.rmtree(folder)


def parsed():
    parser = argparse.ArgumentParser(prog="benchmarks.bacula", description=__doc__)
    parser.add_argument("--files", type=int, default=200_000, help="how many small files")
    parser.add_argument("--increments", type=int, default=7, help="how many build on the full one")
    parser.add_argument("--rounds", type=int, default=25, help="how often each listing is made")
    parser.add_argument("--restores", type=int, default=3, help="how often each restore is run")
    parser.add_argument("--folder", help="where the tree, the volumes and copies are put")
    options = parser.parse_args()
    if min(options.rounds, options.restores) < 2:
        parser.error("--rounds and --restores must be 2 or more: quartiles need them.")
    return options


def measured(folder, installation, options):
    """Return by step (seconds, those of its floor)."""
    tree = installation.own
    large, small = trees.grow(tree, options.files)
    service.set_up(folder, installation)
    from backup_app.engines import get_engine

    client = service.make_client(installation)
    copied = copy(tree, folder / "copy")
    begin = perf_counter()
    newest = full = service.back_up(client, "Full")
    found = {"a full backup ÷ cp -a": ([perf_counter() - begin], [copied])}
    for turn in range(options.increments):
        trees.change(small, turn)
        newest = service.back_up(client, "Incremental")
    found |= followed(installation, client, options.restores)
    found |= listings(get_engine("bacula"), installation, (full, newest), (large, small), options)
    name = f"restore a folder of {trees.LARGE:,} ÷ cp -a"
    found[name] = restored(full, large, folder, options.restores)
    return found


def followed(installation, client, rounds):
    """Return what full backups took by a worker and by bconsole, in turns, until either knew.

    And how long after the end in the catalog that was.
    """
    ours, theirs = ([], []), ([], [])

    def by_bconsole(command):
        [number] = re.findall(r"JobId=(\d+)", installation.bconsole(command))
        installation.bconsole(f"wait jobid={number}")

    for _ in range(rounds):
        job = timed(installation, ours, partial(service.back_up_by_worker, client, "Full"))
        timed(installation, theirs, partial(by_bconsole, service.as_run_command(job)))
    names = "a backup by a worker ÷ bconsole", "from its end until either knew"
    return dict(zip(names, zip(ours, theirs, strict=True), strict=True))


def timed(installation, lists, back_up):
    """Make a backup; append the seconds that it took, and those since its end in the catalog."""
    with Ending(dbname=installation.database, **SERVER) as ending:
        begin = perf_counter()
        made = back_up()
        end = perf_counter()
    for seconds, found in zip(lists, (end - begin, end - ending.moment), strict=True):
        seconds.append(found)
    return made


def listings(engine, installation, backups, folders, options):
    """Return what reading folders takes, by turns with the same rows read by bare queries."""
    (full, newest), (large, small) = backups, map(bytes, folders)
    floor = Floor(dbname=installation.database, **SERVER)
    job, many, few = full.engine_job_id, node(engine, full, large), node(engine, full, small)
    chain = list(newest.sources.values_list("engine_job_id", flat=True))
    last = trees.LARGE - PAGE
    pairs = {
        f"a folder of {trees.SMALL:,}": (
            partial(engine.list_folder, full, small),
            partial(floor.folder, job, few),
        ),
        f"the same, merged of {len(chain)} backups": (
            partial(engine.list_folder, newest, small),
            partial(floor.merged, chain, few),
        ),
        f"the first {PAGE} of {trees.LARGE:,}": (
            partial(engine.list_folder, full, large, limit=PAGE),
            partial(floor.folder, job, many, PAGE),
        ),
        f"the last {PAGE} of {trees.LARGE:,}": (
            partial(engine.list_folder, full, large, limit=PAGE, offset=last),
            partial(floor.folder, job, many, PAGE, last),
        ),
        f"{trees.LARGE:,} paths to choose": (
            partial(engine.select_paths, full, [file.path for file in all_of(engine, full, large)]),
            partial(floor.folder, job, many),
        ),
    }
    cases = [
        case
        for name, (ours, bare) in pairs.items()
        for case in (Case(name, ours), Case(f"{name}, bare", bare))
    ]
    ((server,),) = engine.reader().rows("SELECT pg_backend_pid()")
    clock = partial(processor, floor.process(), server)
    taken = by_turns(cases, options.rounds, clock)
    return {f"{name} ÷ bare": (taken[name], taken[f"{name}, bare"]) for name in pairs}


def restored(backup, large, folder, rounds):
    """Return what restoring and copying a folder took, in turns."""
    ours, copied = [], []
    for _ in range(rounds):
        begin = perf_counter()
        service.restore(backup, large, folder / "restored here")
        ours.append(perf_counter() - begin)
        count = sum(1 for _ in (folder / f"restored here{large}").iterdir())
        if count != trees.LARGE:
            raise SystemExit(f"{count} of {trees.LARGE:,} files were restored.")
        shutil.rmtree(folder / "restored here")
        copied.append(copy(large, folder / "copy"))
    return ours, copied


def copy(source, target):
    begin = perf_counter()
    subprocess.run(["cp", "-a", source, target], check=True)  # noqa: S603, S607
    seconds = perf_counter() - begin
    shutil.rmtree(target)
    return seconds


def node(engine, backup, path):
    return engine.list_folder(backup, path, limit=0).node_id


def all_of(engine, backup, path):
    return engine.list_folder(backup, path).files


def report(found):
    table = Table(title="Medians and quartiles of all rounds", title_justify="left")
    for column in ("step", "ours, ms", "floor, ms", "ours ÷ floor"):
        table.add_column(column, justify="left" if column == "step" else "right")
    for name, (ours, floor) in found.items():
        milliseconds = [[seconds * 1000 for seconds in each] for each in (ours, floor)]
        ratios = [a / b for a, b in zip(ours, floor, strict=True)]
        table.add_row(name, *map(shown, [*milliseconds, ratios]))
    Console(width=110).print(table)


def shown(values):
    """Return what was measured once, or a median and the quartiles around it."""
    spread = Spread.of(values) if len(values) > 1 else [values[0]] * 3
    low, middle, high = (f"{value:,.0f}" if value >= 100 else f"{value:.2g}" for value in spread)
    return f"{middle} ({low}–{high})" if len(values) > 1 else middle


if __name__ == "__main__":
    main()
