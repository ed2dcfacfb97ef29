"""What the operations that look into backups accept."""

from .fields import FolderField, LimitField, OffsetField, PathField
from .options import Options


class FolderOptions(Options):
    path = FolderField(help_text="The folder; / when empty.")
    limit = LimitField(help_text="How many; without it all.")
    offset = OffsetField()


class NodeOptions(Options):
    path = FolderField(help_text="The folder that the node must be, or lie in; / when empty.")


class TreeOptions(Options):
    name = PathField(
        required=False, allow_blank=True, help_text="Full path of the folder; the home when empty."
    )
    home = PathField(help_text="The folder that the named one must be, or lie in.")
