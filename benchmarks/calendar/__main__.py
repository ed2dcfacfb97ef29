"""Measures the calendar over HTTP beside a floor, and backups beside tar and zstd, in one run."""

import argparse
from contextlib import ExitStack
from pathlib import Path

from ..backup import __main__ as backup
from ..backup import measuring, search
from . import cases, client, report
from .measuring import Bench
from .stores import Store

QUICK = {"events": [2000], "rounds": 3, "seconds": 0.2, "files": 5000, "names": 100_000}
FULL = {
    "events": [2000, 100_000, 1_000_000],
    "rounds": 9,
    "seconds": 2,
    "files": 50_000,
    "names": 1_000_000,
}


def main():
    options = parsed()
    servers = {"SQLite": ""}
    if options.database.startswith("postgres"):
        servers["PostgreSQL"] = options.database
    results, filters = {}, {}
    for kind, server in servers.items():
        results[kind], filters[kind] = measured(server, options)
    backups = backup.measure(options.files, 2) if options.files else None
    searches = measuring.searched(options.names, options.rounds) if options.names else None
    write(options.output, results, filters, backups, searches)


def parsed():
    parser = argparse.ArgumentParser(prog="benchmarks.calendar", description=__doc__)
    parser.add_argument("--full", action="store_true", help="up to 1,000,000 events, for hours")
    parser.add_argument("--events", type=int, nargs="+", help="how many, from few to many")
    parser.add_argument("--rounds", type=int, help="how often each case takes its turn, 2 or more")
    parser.add_argument("--seconds", type=float, help="how long a turn is")
    parser.add_argument("--files", type=int, help="how many are backed up; 0 leaves backups out")
    parser.add_argument("--names", type=int, help="how many are searched; 0 leaves searches out")
    parser.add_argument("--output", type=Path, default=Path("var/benchmarks"))
    parser.add_argument("--database", default="sqlite", help="the URL of one of PostgreSQL as well")
    options = parser.parse_args()
    for name, value in (FULL if options.full else QUICK).items():
        if getattr(options, name) is None:
            setattr(options, name, value)
    return options


def measured(server, options):
    """Return the results of the cases among few events, and of the filters by number of events."""
    results, filters = [], {}
    for number in options.events:
        store = Store(options.output / "stores", number, server)
        store.fill()
        with ExitStack() as stack:
            bench = Bench(store, stack)
            reads, turns = bench.reads(), (options.rounds, options.seconds)
            asked = bench.measure(cases.filters(), options.rounds, options.seconds / 4)
            # What is written would change what is read, and end what is kept.
            found = bench.measure(reads, *turns) + bench.measure(bench.writes(), *turns)
            results = results or found
            filters[number] = asked + [r for r in found if r.name in cases.GROWING]
    return results, filters


def write(folder, results, filters, backups, searches):
    """Write the results to a folder, and print the table of docs/performance.md."""
    folder.mkdir(parents=True, exist_ok=True)
    table = report.overview(results)
    parts = ["# Benchmarks", report.machine(), "![](ratios.svg)", table, client.__doc__]
    (folder / "ratios.svg").write_text(report.ratios(results))
    for kind, found in results.items():
        parts += [f"## {kind}", report.details(found), report.growth(filters[kind])]
        series = {
            f"{n:,} events": [report.milliseconds(r) for r in of_number]
            for n, of_number in filters[kind].items()
        }
        names = [result.name for result in next(iter(filters[kind].values()))]
        chart = report.chart(f"{kind}: ms of a list, nothing kept", names, series)
        (folder / f"filters-{kind}.svg").write_text(chart)
        parts.append(f"![](filters-{kind}.svg)")
    if backups:
        parts += ["## Backups", backup.table(backups)]
    if searches:
        parts += ["## Search for names in backups", search.table(searches)]
    (folder / "README.md").write_text("\n\n".join(parts) + "\n")
    found = {"machine": report.machine(), "calendar": results, "filters": filters}
    (folder / "results.json").write_bytes(
        report.as_json(found | {"backups": backups, "searches": searches})
    )
    print(f"{table}\nAll of it: {folder}/README.md")  # noqa: T201


if __name__ == "__main__":
    main()
