from django.core.wsgi import get_wsgi_application
from rich.console import Console

from ..timing import by_turns
from . import report
from .cases import Compared, filters, queries
from .stores import Store

WIDTH = 120


def measure(events, few, rounds, clock):
    """Print the tables for stores of so many events, each case run ``rounds`` times."""
    console = Console(width=WIDTH)
    with console.status("Generating events"):
        small, large = Store(few), Store(events)
    application = get_wsgi_application()
    console.print(report.machine())
    compared = Compared(application, large)
    require_equal(compared.lists)
    for title, cases in [
        (f"First page of {events:,} events", compared.lists),
        (f"Page 5,000 of {events:,} events, or one in the middle", compared.deep),
    ]:
        with console.status(title):
            taken = by_turns(cases, rounds, clock)
        console.print(report.compared(title, taken, counted(cases)))
    with console.status("Filters"):
        slow, quick = by_store(filters(application), [large, small], rounds, clock)
    title = f"Filters, cold, among {few:,} and {events:,} events"
    large.use()
    console.print(report.scaled(title, quick, slow, counted(filters(application))))


def by_store(cases, stores, rounds, clock):
    """Return what the cases took in each of the stores, which take turns as well."""
    taken = [{case.name: [] for case in cases} for _ in stores]
    for _ in range(rounds):
        for store, seconds in zip(stores, taken, strict=True):
            store.use()
            for name, [value] in by_turns(cases, 1, clock).items():
                seconds[name].append(value)
    return taken


def counted(cases):
    """Return the queries of each case that goes through Django, as texts."""
    numbers = {case.name: queries(case) for case in cases}
    return {name: str(number) for name, number in numbers.items() if number}


def require_equal(cases):
    """Stop unless the floor and the calendar give the same bytes."""
    bodies = {case.name: case.run().body for case in cases}
    if bodies["floor"] != bodies["warm"]:
        raise SystemExit("The floor gives another page than the calendar.")
