"""Parameters of the operation about filesets; ``filesets.py`` has the rules of their values."""

from rest_framework import serializers

from .fields import NumberField, ParameterList
from .options import Options


class Include(serializers.Serializer):
    """A folder or file: ``{"path": "/etc"}``, or just its path."""

    path = serializers.CharField(trim_whitespace=False, max_length=4096)

    def to_internal_value(self, data):
        return super().to_internal_value({"path": data} if isinstance(data, str) else data)


class FilesetOptions(serializers.Serializer):
    one_filesystem = serializers.BooleanField(
        required=False, help_text="Leaves out what is mounted below the folders."
    )
    compression = NumberField(required=False, min_value=1, max_value=19)


class Database(serializers.Serializer):
    kind = serializers.ChoiceField(["mysql", "postgresql"])
    name = serializers.CharField(max_length=63)


class SaveFileset(Options):
    """What is not given of an existing fileset stays as it is."""

    name = serializers.CharField(max_length=100)
    include = ParameterList(child=Include(), required=False)
    exclude = ParameterList(
        child=serializers.CharField(trim_whitespace=False, max_length=4096),
        required=False,
        help_text="Patterns: of whole paths with a '/', of names without.",
    )
    options = FilesetOptions(required=False)
    databases = ParameterList(child=Database(), required=False)
    verify = serializers.BooleanField(
        required=False, help_text="Whether each backup is read again when it is made."
    )
    schedule = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=100,
        help_text="A cron expression for clients without one of their own.",
    )
