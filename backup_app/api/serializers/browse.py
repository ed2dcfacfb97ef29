"""What the operations that look into backups accept."""

from .fields import FolderField, LimitField, OffsetField, PathField
from .options import Options


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
