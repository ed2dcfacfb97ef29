"""The base of records that may have existed in an engine before this service was installed."""

from typing import ClassVar

from django.db import models


class Adoptable(models.Model):
    """A record that may be adopted from an engine, whose configuration then defines it."""

    engine_name = models.CharField(
        max_length=127,
        blank=True,
        help_text="Its name in the engine, if it was adopted from there; otherwise empty.",
    )

    engine_fields: ClassVar[tuple[str, ...]] = ()  # only the engine can change them if adopted

    class Meta:
        abstract = True

    @property
    def is_adopted(self) -> bool:
        return bool(self.engine_name)
