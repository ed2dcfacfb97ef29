"""Parameters and answers of the operations that look into backups."""

from rest_framework import serializers

from ...lib import paths
from .answer import Answer, BytesField, RawPathField, TimestampField
from .fields import FolderField, LimitField, OffsetField, Options, PathField


class FolderOptions(Options):
    path = FolderField(help_text="Path of the folder; `/` when empty.")
    limit = LimitField("all")
    offset = OffsetField()


class NodeOptions(Options):
    path = FolderField(help_text="Folder that the node must be or lie in; `/` when empty.")


class TreeOptions(Options):
    name = PathField(
        required=False, allow_blank=True, help_text="Path of the folder; `home` when empty."
    )
    home = PathField(help_text="Folder that the named one must be or lie in.")


# --- Answers ---


class ModeField(serializers.CharField):
    """Permissions in octal, as chmod takes them: ``0644``."""

    def to_representation(self, value):
        return f"{value:04o}"


class TargetField(serializers.CharField):
    """The target of a link as text; null for none."""

    def to_representation(self, value):
        return paths.shown(value) or None


class DigestField(serializers.CharField):
    """A digest in hex; null for none."""

    def to_representation(self, value):
        return value.hex() or None


class NodeAnswer(Answer):
    node_id = serializers.IntegerField()
    name = BytesField(allow_blank=True)
    path = BytesField()
    path_b64 = RawPathField()
    size = serializers.IntegerField()
    files = serializers.IntegerField()
    mtime = TimestampField(allow_null=True)
    has_children = serializers.BooleanField()


class FileAnswer(Answer):
    file_id = serializers.IntegerField()
    node_id = serializers.IntegerField(allow_null=True)
    parent_node_id = serializers.IntegerField()
    name = BytesField(allow_blank=True)
    path = BytesField()
    path_b64 = RawPathField()
    type = serializers.ChoiceField(["file", "directory", "symlink", "hardlink", "fifo", "device"])
    size = serializers.IntegerField()
    mtime = TimestampField(allow_null=True)
    mode = ModeField()
    owner = serializers.CharField(allow_blank=True)
    group = serializers.CharField(allow_blank=True)
    target = TargetField(allow_null=True)
    sha256 = DigestField(allow_null=True)


class Files(Answer):
    job_id = serializers.IntegerField()
    path = BytesField()
    path_b64 = RawPathField()
    node_id = serializers.IntegerField()
    files = FileAnswer(many=True)
    total = serializers.IntegerField()


class Nodes(Answer):
    job_id = serializers.IntegerField()
    node_id = serializers.IntegerField()
    path = BytesField()
    path_b64 = RawPathField()
    nodes = NodeAnswer(many=True)
    files = FileAnswer(many=True)


class Tree(Answer):
    name = BytesField()
    nodes = NodeAnswer(many=True)
