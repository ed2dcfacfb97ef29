"""Mailboxes found in backups."""

from django.db import models

from .client import Client
from .job import Job


class Mailbox(models.Model):
    """The newest PST file, or the mail store, of a mail address on a client."""

    client = models.ForeignKey(Client, models.CASCADE, related_name="mailboxes")
    mailbox = models.CharField(max_length=254)  # in lower case
    store_path = models.CharField(max_length=4096, blank=True)
    pst_path = models.CharField(max_length=4096, blank=True)
    pst_file_id = models.BigIntegerField(null=True, blank=True)
    pst_size = models.BigIntegerField(null=True, blank=True)
    pst_mtime = models.DateTimeField(null=True, blank=True)
    job = models.ForeignKey(Job, models.SET_NULL, null=True, blank=True, related_name="mailboxes")

    class Meta:
        verbose_name_plural = "mailboxes"
        ordering = ["mailbox"]
        constraints = [
            models.UniqueConstraint(fields=["client", "mailbox"], name="mailbox_of_a_client")
        ]

    def __str__(self):
        return self.mailbox
