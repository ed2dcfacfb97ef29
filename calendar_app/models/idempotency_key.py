from django.db import models

from ..conf import conf


class IdempotencyKey(models.Model):
    """A client's name for one request that creates records; see ``services.idempotency``.

    ``status`` and ``body`` are those of its answer, and empty while the request is running.
    """

    user = models.ForeignKey(conf.user_model, models.CASCADE, related_name="+")
    key = models.CharField(max_length=255)
    fingerprint = models.CharField(max_length=64)
    claimed_at = models.DateTimeField(db_index=True)
    status = models.PositiveSmallIntegerField(null=True)
    body = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "key"], name="calendar_idempotency_key_unique")
        ]

    def __str__(self):
        return self.key
