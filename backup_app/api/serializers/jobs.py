"""Parameters and answers of the operations on jobs."""

from rest_framework import serializers

from ...conf import conf
from ...models import Job, JobLog
from .answer import Answer, LocalTimeField
from .fields import LimitField, OffsetField, OptionalTextField, Options, PathField, TimeField

STATUSES = ", ".join(Job.Status.values)


class Period(Options):
    """The times between which a job started, both included."""

    to = TimeField(required=False, help_text="Only jobs that started then or before.")

    def get_fields(self):
        # A Python keyword cannot be an attribute.
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
        error_messages={
            "invalid_choice": f"'{{input}}' is not a status: choose one of {STATUSES}."
        },
    )
    limit = LimitField(str(conf.PAGE_SIZE))
    offset = OffsetField()


class BackupOptions(Options):
    fileset = OptionalTextField("Name of a fileset to use instead of the client's own.")
    pool = OptionalTextField("Name of a pool to use instead of the client's own.")


# --- Answers ---


class Progress(Answer):
    files = serializers.IntegerField(source="files_done")
    bytes = serializers.IntegerField(source="bytes_done")
    percent = serializers.IntegerField(source="percent_done", min_value=0, max_value=100)


class JobAnswer(Answer):
    job_id = serializers.IntegerField(source="pk")
    name = serializers.CharField()
    type = serializers.ChoiceField(Job.Type.choices)
    level = serializers.ChoiceField(Job.Level.choices, allow_null=True)
    status = serializers.ChoiceField(Job.Status.choices)
    client = serializers.CharField(source="client.name")
    client_ip = serializers.CharField(source="client.ip")
    fileset = serializers.CharField(source="fileset.name", allow_null=True)
    pool = serializers.CharField(source="pool.name", allow_null=True)
    zone = serializers.CharField(source="storage.zone.name", allow_null=True)
    created = LocalTimeField()
    started = LocalTimeField(allow_null=True)
    ended = LocalTimeField(allow_null=True)
    files = serializers.IntegerField()
    bytes = serializers.IntegerField()
    stored_bytes = serializers.IntegerField()
    errors = serializers.IntegerField()
    progress = Progress(source="*")
    parent_job_id = serializers.IntegerField(source="parent_id", allow_null=True)
    message = serializers.CharField(allow_blank=True)


class Jobs(Answer):
    jobs = JobAnswer(many=True)
    total = serializers.IntegerField()


class JobsPage(Jobs):
    limit = serializers.IntegerField()
    offset = serializers.IntegerField()


class JobStarted(Answer):
    job_id = serializers.IntegerField(source="pk")


class Canceled(Answer):
    job_id = serializers.IntegerField(source="pk")
    status = serializers.ChoiceField(Job.Status.choices)


class LogLine(Answer):
    time = LocalTimeField()
    level = serializers.ChoiceField(JobLog.Level.choices)
    message = serializers.CharField(allow_blank=True)


class JobLogAnswer(Answer):
    job_id = serializers.IntegerField()
    log = LogLine(many=True)
