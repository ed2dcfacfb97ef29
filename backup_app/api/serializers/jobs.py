"""What the operations on jobs accept."""

from rest_framework import serializers

from ...conf import conf
from ...models import Job
from .fields import LimitField, OffsetField, PathField, TimeField
from .options import Options

STATUSES = ", ".join(Job.Status.values)


class Period(Options):
    """The times between which a job started, both included."""

    to = TimeField(required=False, help_text="Only jobs that started then or before.")

    def get_fields(self):
        # A word of Python's own cannot be an attribute.
        start = TimeField(required=False, help_text="Only jobs that started then or later.")
        return {**super().get_fields(), "from": start}

    def validate(self, attrs):
        if {"from", "to"} <= attrs.keys() and attrs["from"] > attrs["to"]:
            raise serializers.ValidationError({"to": "The period ends before it begins."})
        return attrs


class BackupsOptions(Period):
    path = PathField(
        required=False,
        allow_blank=True,
        help_text="Only backups that this file or folder can be restored from.",
    )
    limit = LimitField("all")
    offset = OffsetField()


class JobsOptions(Options):
    status = serializers.ChoiceField(
        Job.Status.choices,
        required=False,
        allow_blank=True,
        help_text="Only jobs with this status.",
        error_messages={"invalid_choice": f"There is no status '{{input}}': there are {STATUSES}."},
    )
    limit = LimitField(str(conf.PAGE_SIZE))
    offset = OffsetField()


class BackupOptions(Options):
    fileset = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=100,
        help_text="Name of a fileset to use instead of the client's own.",
    )
    pool = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=100,
        help_text="Name of a pool to use instead of the client's own.",
    )
