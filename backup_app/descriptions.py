"""The shapes of answers, for the OpenAPI description."""

from rest_framework import serializers as s

from .models import Download, Job, JobLog

TIME = {"help_text": "Y-m-d H:i:s in the server's zone."}


class Progress(s.Serializer):
    files = s.IntegerField()
    bytes = s.IntegerField()
    percent = s.IntegerField(min_value=0, max_value=100)


class JobAnswer(s.Serializer):
    job_id = s.IntegerField()
    name = s.CharField()
    type = s.ChoiceField(Job.Type.choices)
    level = s.ChoiceField(Job.Level.choices, allow_null=True)
    status = s.ChoiceField(Job.Status.choices)
    client = s.CharField()
    client_ip = s.CharField()
    fileset = s.CharField(allow_null=True)
    pool = s.CharField(allow_null=True)
    zone = s.CharField(allow_null=True)
    created = s.CharField(**TIME)
    started = s.CharField(allow_null=True, **TIME)
    ended = s.CharField(allow_null=True, **TIME)
    files = s.IntegerField()
    bytes = s.IntegerField()
    stored_bytes = s.IntegerField()
    errors = s.IntegerField()
    progress = Progress()
    parent_job_id = s.IntegerField(allow_null=True)
    message = s.CharField(allow_blank=True)


class NodeAnswer(s.Serializer):
    node_id = s.IntegerField()
    name = s.CharField(allow_blank=True)
    path = s.CharField()
    path_b64 = s.CharField(required=False)
    size = s.IntegerField()
    files = s.IntegerField()
    mtime = s.CharField(allow_null=True, **TIME)
    has_children = s.BooleanField()


class FileAnswer(s.Serializer):
    file_id = s.IntegerField()
    node_id = s.IntegerField(allow_null=True)
    parent_node_id = s.IntegerField()
    name = s.CharField(allow_blank=True)
    path = s.CharField()
    path_b64 = s.CharField(required=False)
    type = s.ChoiceField(["file", "directory", "symlink", "hardlink", "fifo", "device"])
    size = s.IntegerField()
    mtime = s.CharField(allow_null=True, **TIME)
    mode = s.CharField()
    owner = s.CharField(allow_blank=True)
    group = s.CharField(allow_blank=True)
    target = s.CharField(allow_null=True)
    sha256 = s.CharField(allow_null=True)


class Jobs(s.Serializer):
    jobs = JobAnswer(many=True)
    total = s.IntegerField()


class JobsPage(Jobs):
    limit = s.IntegerField()
    offset = s.IntegerField()


class JobStarted(s.Serializer):
    job_id = s.IntegerField()


class Canceled(s.Serializer):
    job_id = s.IntegerField()
    status = s.ChoiceField(Job.Status.choices)


class LogLine(s.Serializer):
    time = s.CharField(**TIME)
    level = s.ChoiceField(JobLog.Level.choices)
    message = s.CharField(allow_blank=True)


class JobLogAnswer(s.Serializer):
    job_id = s.IntegerField()
    log = LogLine(many=True)


class Files(s.Serializer):
    job_id = s.IntegerField()
    path = s.CharField()
    path_b64 = s.CharField(required=False)
    node_id = s.IntegerField()
    files = FileAnswer(many=True)
    total = s.IntegerField()


class Nodes(s.Serializer):
    job_id = s.IntegerField()
    node_id = s.IntegerField()
    path = s.CharField()
    path_b64 = s.CharField(required=False)
    nodes = NodeAnswer(many=True)
    files = FileAnswer(many=True)


class Tree(s.Serializer):
    name = s.CharField()
    nodes = NodeAnswer(many=True)


class DownloadPreparing(s.Serializer):
    file_name = s.CharField()
    state = s.ChoiceField([Download.State.PREPARING])


class DownloadReady(s.Serializer):
    file_name = s.CharField()
    size = s.IntegerField()
    chunks = s.IntegerField()
    chunk_size = s.IntegerField()
    state = s.ChoiceField([Download.State.READY])


class PstFile(s.Serializer):
    mailbox = s.CharField()
    file = s.CharField()
    file_id = s.IntegerField(allow_null=True)
    job_id = s.IntegerField(allow_null=True)
    size = s.IntegerField(allow_null=True)
    mtime = s.CharField(allow_null=True, **TIME)


class StorePath(s.Serializer):
    mailbox = s.CharField()
    path = s.CharField()


class Mailboxes(s.Serializer):
    mailboxes = s.ListField(child=s.CharField())
