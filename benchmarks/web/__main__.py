"""Measures what others notice of many slow clients, by turns with and without them."""

import argparse
import tempfile
import time

import urllib3
from rich.console import Console
from rich.table import Table

from benchmarks.timing import Spread, times
from tests.config.support.server import serving
from tests.config.support.slow_clients import KINDS, SlowClients

LIST = "/calendar/events/v1/events"
# Where each kind goes: a form that is read for anyone, or an answer that does not fit a buffer.
PATHS = {"readers": f"{LIST}?per_page=50"}


def main():
    options = parsed()
    table = Table("slow clients", "ms", "requests/s", "ms beside ÷ ms alone")
    with tempfile.TemporaryDirectory() as folder, serving(folder, LOG_LEVEL="ERROR") as service:
        for kind in KINDS:
            alone, beside = by_turns(kind, service.port, options)
            middle = Spread.of(beside).middle
            low, ratio, high = times(beside, alone)
            table.add_row(
                f"{options.clients} {kind}",
                f"{1000 * middle:.2f}",
                f"{1 / middle:.0f}",
                f"{ratio:.2f} ({low:.2f}–{high:.2f})",
            )
    Console(width=100).print(table)


def parsed():
    parser = argparse.ArgumentParser(prog="benchmarks.web", description=__doc__)
    parser.add_argument("--clients", type=int, default=200, help="how many are slow")
    parser.add_argument("--rounds", type=int, default=5, help="how often each kind takes its turn")
    parser.add_argument("--requests", type=int, default=300, help="of another client, in a turn")
    return parser.parse_args()


def by_turns(kind, port, options):
    """Return the seconds of a request in each round, without slow clients and beside them."""
    path = PATHS.get(kind, "/admin/login/")
    alone, beside = [], []
    for _ in range(options.rounds):
        alone.append(seconds(port, options.requests))
        with SlowClients(kind, options.clients, port, path):
            beside.append(seconds(port, options.requests))
    return alone, beside


def seconds(port, number):
    """Return what a warm list takes over one connection, on average."""
    with urllib3.HTTPConnectionPool("127.0.0.1", port, retries=False) as pool:
        pool.request("GET", LIST)
        begin = time.perf_counter()
        for _ in range(number):
            assert pool.request("GET", LIST).status == 200  # noqa: S101
        return (time.perf_counter() - begin) / number


if __name__ == "__main__":
    main()
