"""How much backups take, day by day."""

from django.db import models

from ..conf import conf
from .storage import Storage


class Usage(models.Model):
    """What an account's good backups in a storage held at the end of a day, or now for today."""

    day = models.DateField()
    account = models.ForeignKey(conf.user_model, models.CASCADE, related_name="backup_usage")
    storage = models.ForeignKey(Storage, models.CASCADE, related_name="usage")
    # Of the files that the newest backups hold, before compression, and of all volumes.
    protected_bytes = models.PositiveBigIntegerField(default=0)
    stored_bytes = models.PositiveBigIntegerField(default=0)

    class Meta:
        verbose_name_plural = "usage"
        ordering = ["day", "id"]
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["day", "account", "storage"], name="usage_of_a_day")
        ]

    def __str__(self):
        return f"{self.account} in {self.storage} on {self.day}"
