"""Model fields that Django lacks."""

from django.db import models


class BytesField(models.BinaryField):
    """A ``BinaryField`` that yields ``bytes`` on PostgreSQL too, rather than memoryviews."""

    _pyi_private_get_type: bytes  # for mypy's plugin

    def from_db_value(self, value, expression, connection):
        return None if value is None else bytes(value)
