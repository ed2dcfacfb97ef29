"""What may have been in an engine before this service knew it."""

from typing import ClassVar

from django.db import models


class Adoptable(models.Model):
    """Has a name of the engine's own where it was adopted; the engine keeps what it consists of."""

    engine_name = models.CharField(
        max_length=127,
        blank=True,
        help_text="What the engine calls it, where it was there before; empty is a name we give.",
    )

    engine_fields: ClassVar[tuple[str, ...]] = ()  # the fields that are as the engine has them

    class Meta:
        abstract = True

    @property
    def is_adopted(self) -> bool:
        return bool(self.engine_name)
