"""Model fields that the app needs and Django has not."""

from django.db import models


class BytesField(models.BinaryField):
    """Bytes that are read as ``bytes`` on every database, not as a memoryview."""

    def from_db_value(self, value, expression, connection):
        return None if value is None else bytes(value)
