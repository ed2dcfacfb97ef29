"""Pools: where an account's backups are kept, and for how long."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from ..conf import conf
from .adoptable import Adoptable
from .storage import Storage


class Pool(Adoptable):
    account = models.ForeignKey(conf.user_model, models.CASCADE, related_name="backup_pools")
    name = models.CharField(max_length=100)
    storage = models.ForeignKey(Storage, models.PROTECT, related_name="pools")
    retention_days = models.PositiveIntegerField(
        default=30, validators=[MinValueValidator(1), MaxValueValidator(36_500)]
    )
    keep_full = models.PositiveIntegerField(
        default=1,
        validators=[MinValueValidator(1), MaxValueValidator(10_000)],
        help_text="Number of full backups kept per client, however old they are.",
    )
    quota_bytes = models.PositiveBigIntegerField(
        null=True, blank=True, help_text="Bytes that backups may take; empty for no limit."
    )

    engine_fields = ("storage", "retention_days", "keep_full")

    class Meta:
        ordering = ["name", "id"]
        constraints = [
            models.UniqueConstraint(fields=["account", "name"], name="pool_name_of_account")
        ]

    def __str__(self):
        return self.name
