"""Downloads of backups."""

from django.db import models

from .job import Job


class Download(models.Model):
    """A plain tar of all that a full restore of a backup would bring back.

    ``plan`` says where each part of it comes from, in a form that only the job's engine reads;
    ``size`` is in bytes and known once the state is "ready".
    """

    class State(models.TextChoices):
        PREPARING = "preparing"
        READY = "ready"
        FAILED = "failed"

    job = models.OneToOneField(Job, models.CASCADE, related_name="download")
    state = models.CharField(max_length=10, choices=State, default=State.PREPARING)
    size = models.PositiveBigIntegerField(default=0)
    plan = models.BinaryField(default=b"")
    message = models.CharField(max_length=1000, blank=True)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]

    def __str__(self):
        return f"{self.job_id} {self.state}"

    @property
    def is_ready(self):
        return self.state == self.State.READY
