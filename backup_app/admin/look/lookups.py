"""What the address of a list may filter by."""

from django.core.exceptions import FieldDoesNotExist
from django.db.models.constants import LOOKUP_SEP

# With them, a list could be made to fail, or to search for minutes.
REFUSED = {"regex", "iregex", "range"}
# With longer values dates and integers fail in another way than by ValueError.
LONGEST = {"year": 9, "month": 9, "day": 9, "in": 18}


class OfferedLookups:
    """Lets the address of a list filter only by fields that the list has filters for.

    Django allows any field of the model, even one that is never shown: whoever may see the list
    could guess a secret letter by letter. ``filtered_by`` names more fields, which links need.
    """

    filtered_by = []

    def lookup_allowed(self, lookup, value, request=None):
        name, *lookups = lookup.split(LOOKUP_SEP)
        is_safe = "\0" not in str(value) and REFUSED.isdisjoint(lookups)
        longest = max(map(len, str(value).split(",")))
        is_safe = is_safe and all(longest <= LONGEST.get(each, longest) for each in lookups)
        offered = self._is_offered(name, request) if self._is_field(name) else not lookups
        return is_safe and offered and super().lookup_allowed(lookup, value, request)

    def _is_offered(self, name, request):
        paths = map(_parameter, self.get_list_filter(request))
        offered = [*paths, *self.filtered_by, self.date_hierarchy or "", self.opts.pk.name, "pk"]
        return name in {path.partition(LOOKUP_SEP)[0] for path in offered}

    def _is_field(self, name):
        try:
            return name == "pk" or bool(self.opts.get_field(name))
        except FieldDoesNotExist:
            return False


def _parameter(each):
    """Return the parameter of a filter in ``list_filter``, or the path of its field."""
    if isinstance(each, type):
        return each.parameter_name
    return each if isinstance(each, str) else each[0]
