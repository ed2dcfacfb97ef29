"""Who did what, and who was refused."""

from django.db import models

from ..conf import conf


class AuditEntry(models.Model):
    class Outcome(models.TextChoices):
        DONE = "done"
        REFUSED = "refused"
        WRONG_LOGIN = "wrong login"

    time = models.DateTimeField(auto_now_add=True, db_index=True)
    account = models.ForeignKey(
        conf.user_model, models.SET_NULL, null=True, blank=True, related_name="backup_audit"
    )
    login = models.CharField(max_length=254, help_text="Who asked, as they named themselves.")
    operation = models.CharField(max_length=50)
    target = models.CharField(max_length=500, blank=True)
    outcome = models.CharField(max_length=12, choices=Outcome)
    detail = models.CharField(max_length=500, blank=True)
    address = models.CharField(max_length=45, blank=True)

    class Meta:
        verbose_name_plural = "audit entries"
        ordering = ["-time", "-id"]
        indexes = [
            models.Index(fields=["login", "address", "outcome", "time"], name="audit_of_a_login")
        ]

    def __str__(self):
        return f"{self.login}: {self.operation} {self.outcome}"
