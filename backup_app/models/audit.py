"""The audit log: who did what, and who was refused."""

from django.db import models
from django.utils import timezone

from ..conf import conf


class AuditEntry(models.Model):
    class Outcome(models.TextChoices):
        DONE = "done"
        REFUSED = "refused"
        WRONG_LOGIN = "wrong login"

    time = models.DateTimeField(default=timezone.now, db_index=True)
    account = models.ForeignKey(
        conf.user_model, models.SET_NULL, null=True, blank=True, related_name="backup_audit"
    )
    login = models.CharField(max_length=254, help_text="The login that the request was made with.")
    operation = models.CharField(max_length=50)
    target = models.CharField(max_length=500, blank=True)
    outcome = models.CharField(max_length=12, choices=Outcome)
    detail = models.CharField(max_length=500, blank=True)
    address = models.CharField(max_length=45, blank=True)
    # Wrong logins share a row per login, address and hour: guessing must not fill the table.
    hour = models.DateTimeField(null=True, editable=False)
    count = models.PositiveIntegerField(default=1)

    class Meta:
        verbose_name_plural = "audit entries"
        ordering = ["-time", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["hour", "address", "login"],
                condition=models.Q(hour__isnull=False),
                name="audit_wrong_login_in_hour",
            )
        ]

    def __str__(self):
        return f"{self.login}: {self.operation} {self.outcome}"
