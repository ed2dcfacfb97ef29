"""What the address of a page asks for: the API's filters, kept in the links to other pages."""

from functools import cached_property

from django.http import QueryDict

from ..api.filters.event import EventFilterSet
from ..api.filters.window import BOUNDS, REPLACING_DEFAULT

DATES = {*BOUNDS, *REPLACING_DEFAULT, "strict_dates"}
FILTERS = EventFilterSet.base_filters.keys()
# Of these, visitors see what they have chosen; the other filters are only kept.
CHOSEN = ("search", "categories")


class Address:
    """The filters of a request, and the addresses with the same filters.

    ``archive`` has those that the page itself adds, such as the venue that it is of.
    """

    def __init__(self, query, urls, archive=None):
        self._query, self._urls, self._archive = query, urls, archive or {}

    @cached_property
    def filters(self):
        """The filters of the query, without dates: [(name, value)]."""
        return [(name, value) for name, value in self._all if name not in DATES]

    @cached_property
    def others(self):
        """The filters that the form of a page has no field for."""
        return [(name, value) for name, value in self.filters if name not in CHOSEN]

    @property
    def kept(self):
        """The filters without dates as a query, with its "?"; empty for none."""
        return _query(self.filters)

    @property
    def everywhere(self):
        """The same with what the page adds, for links to other lists of its events."""
        return _query([*self._archive.items(), *self.filters])

    @property
    def has_dates(self):
        return any(name in DATES for name, _ in self._all)

    @property
    def is_filtered(self):
        return bool(self._all)

    def at_page(self, number):
        """Return the query of another page of the same list."""
        return _query([*self._all, ("page", number)]) if number > 1 else _query(self._all) or "?"

    def calendar(self, **dates):
        """Return the address of what the page shows as iCalendar, between these dates."""
        found = [*self._archive.items(), *(self.filters if dates else self._all), *dates.items()]
        return f"{self._urls.rest('events')}{_query([('format', 'ics'), *found])}"

    def subscription(self):
        """Return the address by which a calendar program subscribes to the same filters."""
        found = _query([("format", "ics"), *self._archive.items(), *self.filters])
        return f"webcal:{self._urls.rest('events').partition(':')[2]}{found}"

    @cached_property
    def _all(self):
        lists = self._query.lists()
        return [(name, value) for name, found in lists if name in FILTERS for value in found]


def _query(pairs):
    query = QueryDict(mutable=True)
    for name, value in pairs:
        query.appendlist(name, str(value))
    return f"?{query.urlencode()}" if pairs else ""
