"""Measures the calendar's event list beside a floor and a plain API, all in one run."""

import argparse
import os

import django

from ..timing import CLOCKS


def main():
    options = parsed()
    # Settings read the environment as soon as they are imported.
    os.environ["DATABASE_URL"] = "" if options.database == "sqlite" else options.database
    os.environ["DJANGO_SETTINGS_MODULE"] = "benchmarks.calendar.settings"
    django.setup()
    from .measuring import measure

    measure(options.events, options.few, options.rounds, CLOCKS[options.clock])


def parsed():
    parser = argparse.ArgumentParser(prog="benchmarks.calendar", description=__doc__)
    parser.add_argument("--events", type=int, default=100_000, help="how many are many")
    parser.add_argument("--few", type=int, default=2000, help="how many are few")
    parser.add_argument("--rounds", type=int, default=50, help="how often each case is run")
    parser.add_argument(
        "--database", default="sqlite", help="'sqlite', or the URL of any database of a server"
    )
    parser.add_argument(
        "--clock", choices=CLOCKS, default="wall", help="time that passes, or of this processor"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
