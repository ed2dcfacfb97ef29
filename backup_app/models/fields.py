"""Model fields that Django lacks."""

from django.db import models


class BytesField(models.BinaryField):
    """A ``BinaryField`` that yields ``bytes`` on PostgreSQL too, rather than memoryviews."""

    def from_db_value(self, value, expression, connection):
        return None if value is None else bytes(value)
