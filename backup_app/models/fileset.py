"""Filesets: what is backed up on a client."""

import re

from django.db import models

from ..conf import conf
from .adoptable import Adoptable

KINDS = ("mysql", "postgresql")
DATABASE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_$-]{0,62}")


class Fileset(Adoptable):
    """Folders, patterns and databases; ``services.filesets`` validates them.

    include: [{"path": "/etc"}], exclude: ["*.tmp", "/var/cache"],
    options: {"one_filesystem": bool, "compression": 1..19},
    databases: [{"kind": "mysql"|"postgresql", "name": str}].
    """

    account = models.ForeignKey(conf.user_model, models.CASCADE, related_name="backup_filesets")
    name = models.CharField(max_length=100)
    include = models.JSONField(default=list)
    exclude = models.JSONField(default=list, blank=True)
    options = models.JSONField(default=dict, blank=True)
    databases = models.JSONField(default=list, blank=True)
    verify = models.BooleanField(default=False, help_text="Verify each backup once it is complete.")
    schedule = models.CharField(
        max_length=100,
        blank=True,
        help_text="Cron expression for clients without one of their own.",
    )

    engine_fields = ("include", "exclude", "options", "databases")

    class Meta:
        ordering = ["name", "id"]
        constraints = [
            models.UniqueConstraint(fields=["account", "name"], name="fileset_name_of_account")
        ]

    def __str__(self):
        return self.name
