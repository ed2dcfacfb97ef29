from django.db import models
from django.utils import timezone


class LoginAttempt(models.Model):
    """A login that failed a short while ago, or the first one from an address that succeeded."""

    scope = models.CharField(max_length=20, help_text="The service that was logged in to.")
    login = models.CharField(max_length=64, help_text="A digest of it.")
    network = models.CharField(max_length=45)
    failed = models.BooleanField(default=True)
    time = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        indexes = [
            models.Index(fields=["login", "time"], name="attempts_of_login"),
            models.Index(fields=["network", "time"], name="attempts_of_network"),
        ]

    def __str__(self):
        return f"{self.scope} from {self.network} at {self.time}"
