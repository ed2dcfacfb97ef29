from django.db import models


class Fault(models.Model):
    """What keeps a worker from doing jobs, as it said last."""

    worker = models.CharField(max_length=300)
    message = models.CharField(max_length=1000)
    seen = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]

    def __str__(self):
        return self.message
