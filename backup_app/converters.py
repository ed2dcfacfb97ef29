"""Path segments: numbers that a record may have."""

from django.urls.converters import IntConverter


class NumberConverter(IntConverter):
    """A number that fits into 63 bits; a longer one is no route, which is a 404."""

    regex = "[0-9]{1,18}"
