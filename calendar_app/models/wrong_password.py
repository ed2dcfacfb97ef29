from django.db import models
from django.utils import timezone

from .event import Event


class WrongPassword(models.Model):
    """A recent attempt to open an event with a wrong password; see ``services.passwords``."""

    event = models.ForeignKey(Event, models.CASCADE, related_name="+")
    network = models.CharField(max_length=45)
    time = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        indexes = [models.Index(fields=["network", "time"], name="calendar_wrong_passwords")]

    def __str__(self):
        return f"{self.event} from {self.network}"
