"""Path segments: numbers that a record may have, texts that a database can look for."""

from django.urls.converters import IntConverter, StringConverter


class NumberConverter(IntConverter):
    """A number that fits into 63 bits; a longer one is no route, which is a 404."""

    regex = "[0-9]{1,18}"


class TextConverter(StringConverter):
    """A name or an address; PostgreSQL has no NUL in texts, so that there is no such route."""

    regex = "[^/\\0]+"
