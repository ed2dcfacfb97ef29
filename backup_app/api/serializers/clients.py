"""Parameters and answers of the operations on clients."""

from rest_framework import serializers

from ...models import Client, Job
from .answer import Answer, LocalTimeField
from .fields import OptionalTextField, Options


class GenerateConfig(Options):
    """Parameters that are left out keep their value if the client exists."""

    name = serializers.CharField(max_length=100, help_text="Name of the client.")
    IP = serializers.CharField(
        source="ip",
        required=False,
        max_length=45,
        help_text="IP address; required for a new client.",
    )
    internalip = OptionalTextField("Internal IP address.", source="internal_ip", max_length=45)
    password = OptionalTextField(
        "Root's password, to install the server's key with; it is not stored.",
        max_length=1000,
        trim_whitespace=False,
        write_only=True,
    )
    fileset = serializers.CharField(
        required=False, max_length=100, help_text="Name of the fileset."
    )
    pool = serializers.CharField(required=False, max_length=100, help_text="Name of the pool.")
    zone = serializers.CharField(required=False, max_length=50, help_text="Name of the zone.")
    schedule = OptionalTextField("Cron expression; empty for the fileset's.")


class RunCommand(Options):
    cmd = serializers.CharField(
        max_length=1000, help_text="One of the command lines that are allowed."
    )


# --- Answers ---


class SystemAnswer(Answer):
    system = serializers.ChoiceField(Client.System.choices)


class ClientName(Answer):
    name = serializers.CharField()


class ServerAnswer(Answer):
    name = serializers.CharField()
    ip = serializers.CharField()
    internal_ip = serializers.CharField(allow_null=True)
    system = serializers.ChoiceField(Client.System.choices)
    zone = serializers.CharField(source="zone.name")
    last_backup = LocalTimeField(allow_null=True)
    last_status = serializers.ChoiceField(Job.Status.choices, allow_null=True)
    protected_bytes = serializers.IntegerField()


class Servers(Answer):
    servers = ServerAnswer(many=True)


class ConfigAnswer(Answer):
    client = serializers.CharField()
    system = serializers.ChoiceField(Client.System.choices)
    file_name = serializers.CharField()
    config = serializers.CharField()


class GeneratedConfig(ConfigAnswer):
    key_installed = serializers.BooleanField()


class Defaults(Answer):
    level = serializers.ChoiceField(Job.Level.choices)
    fileset = serializers.CharField()
    pool = serializers.CharField()


class BackupOptionsAnswer(Answer):
    client = serializers.CharField()
    system = serializers.ChoiceField(Client.System.choices)
    levels = serializers.ListField(child=serializers.ChoiceField(Job.Level.choices))
    filesets = serializers.ListField(child=serializers.CharField())
    pools = serializers.ListField(child=serializers.CharField())
    zone = serializers.CharField()
    schedule = serializers.CharField(allow_blank=True)
    retention_days = serializers.IntegerField()
    defaults = Defaults()


class CommandResult(Answer):
    result = serializers.CharField(allow_blank=True)


class ClientDeleted(Answer):
    client = serializers.CharField()
    deleted = serializers.BooleanField()
