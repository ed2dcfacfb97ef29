"""Times of things that are run by turns, so that what slows the machine slows all of them."""

from collections.abc import Callable
from statistics import median, quantiles
from typing import NamedTuple


class Case(NamedTuple):
    """Something to run; ``prepare`` runs before each time and is not measured."""

    name: str
    run: Callable
    prepare: Callable = lambda: None


class Spread(NamedTuple):
    """A median and the quartiles around it."""

    low: float
    middle: float
    high: float

    @classmethod
    def of(cls, values):
        low, _, high = quantiles(values, n=4, method="inclusive")
        return cls(low, median(values), high)


def by_turns(cases, rounds, clock):
    """Return the seconds that each case took in each round, by the names of the cases."""
    seconds = {case.name: [] for case in cases}
    for number in range(rounds):
        # Begin elsewhere each time, so that no case always follows the same one.
        turn = number % len(cases)
        for case in cases[turn:] + cases[:turn]:
            case.prepare()
            start = clock()
            case.run()
            seconds[case.name].append(clock() - start)
    return seconds


def times(one, other):
    """Return how many times as long one took as other, the Spread over the rounds."""
    return Spread.of([a / b for a, b in zip(one, other, strict=True)])
