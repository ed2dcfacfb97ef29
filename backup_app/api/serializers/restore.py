"""Parameters of the operations that restore."""

from .fields import FolderField, IdField, OptionalTextField, Options, ParameterList, PathField

DESTINATION = (
    "Destination folder, below which the full original path is kept; `/` is the original location."
)


class RestoreOptions(Options):
    files = ParameterList(
        child=PathField(help_text="Path of a file or folder."),
        allow_empty=False,
        min_length=1,
        help_text="Paths of files and folders.",
    )
    path = FolderField(help_text=DESTINATION)


class RestoreNodesOptions(Options):
    home = PathField(help_text="Folder that everything must lie in.")
    nodes = ParameterList(child=IdField(), default=list, help_text="IDs of folders.")
    files = ParameterList(child=IdField(), default=list, help_text="IDs of files.")
    path = FolderField(help_text=DESTINATION)


class DatabaseOptions(Options):
    client = OptionalTextField(
        "Name or IP address of the client to restore to; the original one when empty."
    )
