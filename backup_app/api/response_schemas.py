"""The shapes of answers, for the OpenAPI description."""

from rest_framework import serializers as s

from ..models import Client, Download, Job, JobLog

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


class CommandResult(s.Serializer):
    result = s.CharField(allow_blank=True)


class SystemAnswer(s.Serializer):
    system = s.ChoiceField(Client.System.choices)


class ClientName(s.Serializer):
    name = s.CharField()


class ServerAnswer(s.Serializer):
    name = s.CharField()
    ip = s.CharField()
    internal_ip = s.CharField(allow_null=True)
    system = s.ChoiceField(Client.System.choices)
    zone = s.CharField()
    last_backup = s.CharField(allow_null=True, **TIME)
    last_status = s.ChoiceField(Job.Status.choices, allow_null=True)
    protected_bytes = s.IntegerField()


class Servers(s.Serializer):
    servers = ServerAnswer(many=True)


class ConfigAnswer(s.Serializer):
    client = s.CharField()
    system = s.ChoiceField(Client.System.choices)
    file_name = s.CharField()
    config = s.CharField()


class GeneratedConfig(ConfigAnswer):
    key_installed = s.BooleanField()


class Defaults(s.Serializer):
    level = s.ChoiceField(Job.Level.choices)
    fileset = s.CharField()
    pool = s.CharField()


class BackupOptionsAnswer(s.Serializer):
    client = s.CharField()
    system = s.ChoiceField(Client.System.choices)
    levels = s.ListField(child=s.ChoiceField(Job.Level.choices))
    filesets = s.ListField(child=s.CharField())
    pools = s.ListField(child=s.CharField())
    zone = s.CharField()
    schedule = s.CharField(allow_blank=True)
    retention_days = s.IntegerField()
    defaults = Defaults()


class ClientDeleted(s.Serializer):
    client = s.CharField()
    deleted = s.BooleanField()


class SubuserAnswer(s.Serializer):
    login = s.CharField()
    firstname = s.CharField()
    lastname = s.CharField()
    email = s.CharField()
    clients = s.ListField(child=s.CharField())
    bmr = s.BooleanField()
    created = s.CharField(**TIME)


class AccessGranted(s.Serializer):
    client = s.CharField()
    subuser = s.CharField()
    granted = s.BooleanField()


class PasswordChanged(s.Serializer):
    subuser = s.CharField()
    changed = s.BooleanField()


class SubuserExists(s.Serializer):
    exists = s.BooleanField()


class BareMetalRestore(s.Serializer):
    bmr = s.BooleanField()


class ZoneAnswer(s.Serializer):
    name = s.CharField()
    title = s.CharField(allow_blank=True)
    engine = s.CharField()


class Zones(s.Serializer):
    zones = ZoneAnswer(many=True)


class StorageAnswer(s.Serializer):
    name = s.CharField()
    zone = s.CharField()
    kind = s.CharField()
    path = s.CharField(allow_blank=True)
    capacity = s.IntegerField(allow_null=True)
    used = s.IntegerField()
    free = s.IntegerField(allow_null=True)
    pools = s.ListField(child=s.CharField())


class Storages(s.Serializer):
    storages = StorageAnswer(many=True)


class SupportedSystem(s.Serializer):
    system = s.ChoiceField(Client.System.choices)
    name = s.CharField()
    engine = s.CharField()
    notes = s.CharField(allow_blank=True)


class SupportedSystems(s.Serializer):
    systems = SupportedSystem(many=True)


class PoolAnswer(s.Serializer):
    name = s.CharField()
    storage = s.CharField()
    zone = s.CharField()
    retention_days = s.IntegerField()
    keep_full = s.IntegerField()
    quota_bytes = s.IntegerField(allow_null=True)
    used_bytes = s.IntegerField()
    jobs = s.IntegerField(help_text="How many backups can be read.")
    storage_data = StorageAnswer(required=False)


class IncludedFolder(s.Serializer):
    path = s.CharField()


class FilesetOptionsAnswer(s.Serializer):
    one_filesystem = s.BooleanField(required=False)
    compression = s.IntegerField(required=False)


class FilesetDatabase(s.Serializer):
    kind = s.ChoiceField(["mysql", "postgresql"])
    name = s.CharField()


class FilesetAnswer(s.Serializer):
    name = s.CharField()
    include = IncludedFolder(many=True)
    exclude = s.ListField(child=s.CharField())
    options = FilesetOptionsAnswer()
    databases = FilesetDatabase(many=True)
    verify = s.BooleanField()
    schedule = s.CharField(allow_blank=True)
