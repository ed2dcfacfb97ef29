"""Parameters and answer of the operation on filesets; ``services.filesets`` has their rules."""

from rest_framework import serializers

from .answer import Answer, StoredJSON
from .fields import NumberField, OptionalTextField, Options, ParameterList, PathTextField


class Include(serializers.Serializer):
    """A folder or file: ``{"path": "/etc"}``, or just its path."""

    path = PathTextField(help_text="Path of a folder or file.")

    def to_internal_value(self, data):
        return super().to_internal_value({"path": data} if isinstance(data, str) else data)


class FilesetOptions(serializers.Serializer):
    one_filesystem = serializers.BooleanField(
        required=False,
        help_text="Whether to exclude file systems that are mounted below the folders.",
    )
    compression = NumberField(
        required=False, min_value=1, max_value=19, help_text="Zstandard compression level."
    )


class Database(serializers.Serializer):
    kind = serializers.ChoiceField(["mysql", "postgresql"], help_text="Kind of the server.")
    name = serializers.CharField(max_length=63, help_text="Name of the database.")


class SaveFileset(Options):
    """Parameters that are left out keep their value if the fileset exists."""

    name = serializers.CharField(max_length=100, help_text="Name of the fileset.")
    include = ParameterList(
        child=Include(), required=False, help_text="Folders and files to back up."
    )
    exclude = ParameterList(
        child=serializers.CharField(trim_whitespace=False, max_length=4096),
        required=False,
        help_text="Patterns to exclude: of paths if they contain a `/`, otherwise of names.",
    )
    options = FilesetOptions(required=False, help_text="How to back them up.")
    databases = ParameterList(
        child=Database(), required=False, help_text="Databases to dump into the backup."
    )
    verify = serializers.BooleanField(
        required=False, help_text="Whether to verify each backup once it is complete."
    )
    schedule = OptionalTextField("Cron expression for clients without one of their own.")


# --- Answers ---


class IncludedFolder(StoredJSON):
    path = serializers.CharField()


class FilesetOptionsAnswer(StoredJSON):
    one_filesystem = serializers.BooleanField(required=False)
    compression = serializers.IntegerField(required=False)


class FilesetDatabase(StoredJSON):
    kind = serializers.ChoiceField(["mysql", "postgresql"])
    name = serializers.CharField()


class FilesetAnswer(Answer):
    name = serializers.CharField()
    include = IncludedFolder(many=True)
    exclude = serializers.ListField(child=serializers.CharField())
    options = FilesetOptionsAnswer()
    databases = FilesetDatabase(many=True)
    verify = serializers.BooleanField()
    schedule = serializers.CharField(allow_blank=True)
